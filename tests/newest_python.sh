#!/usr/bin/env bash
# An environment with the newest Python of this machine and its JAX, beside that of `make`: the tests
# of the sanitizer's scenarios run on both (tests/sanitizer/pythons.py), and those that need
# `sys.monitoring` run on it here.
set -euo pipefail
cd "$(dirname "$0")/.."
own=$("${1:-python3}" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
for version in 3.13 3.12; do
    python=$(bash tests/find_python.sh "$version")
    if [ "$version" = "$own" ]; then
        break
    elif [ -n "$python" ]; then
        folder=".venv-${version/./}"
        make --no-print-directory env PYTHON="$python" VENV="$folder"
        "$folder/bin/python" -m pytest -q -n 2 -m "monitoring and not slow" tests/sanitizer \
            tests/test_gotcha_examples.py
        break
    fi
done
