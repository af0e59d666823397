#!/usr/bin/env bash
# Prints the interpreter of a Python version, such as 3.13, or nothing where there is none.
version=$1
# A shim of pyenv may lie in the path and yet start nothing.
if "python$version" --version > /dev/null 2>&1; then
    echo "python$version"
else
    ls "$HOME"/.pyenv/versions/"$version".*/bin/python 2> /dev/null | head -n 1 || true
fi
