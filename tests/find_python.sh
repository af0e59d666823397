#!/usr/bin/env bash
# Prints the interpreter of a Python version, such as 3.13 or 3.14t (without the global lock), or
# nothing where there is none. It looks in the path, in pyenv's versions and in those of uv.
shopt -s extglob
version=$1
plain=${version%t}
# A shim of pyenv may lie in the path and yet start nothing.
if "python$version" --version > /dev/null 2>&1; then
    echo "python$version"
    exit
fi
if [ "$version" = "$plain" ]; then
    builds=("$HOME"/.pyenv/versions/"$plain".+([0-9])/bin/python
        "${XDG_DATA_HOME:-$HOME/.local/share}"/uv/python/cpython-"$plain".+([0-9])-*/bin/python)
else
    builds=("$HOME"/.pyenv/versions/"$plain".+([0-9])t/bin/python
        "${XDG_DATA_HOME:-$HOME/.local/share}"/uv/python/cpython-"$plain".+([0-9])+freethreaded-*/bin/python)
fi
for python in "${builds[@]}"; do
    if [ -x "$python" ]; then
        echo "$python"
        exit
    fi
done
