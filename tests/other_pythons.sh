#!/usr/bin/env bash
# The tests on every Python and JAX that has a constraints file and an interpreter on this machine,
# and the pre-commit hook on a sample repository. `make test-all` runs it.
set -euo pipefail
cd "$(dirname "$0")/.."
for version in 3.12 3.13; do
    python=$(bash tests/find_python.sh "$version")
    if [ -z "$python" ]; then
        echo "python$version: not here, left out"
        continue
    fi
    tag=${version/./}
    make env PYTHON="$python" VENV=".venv-$tag"
    GOTCHA_EXAMPLES=new ".venv-$tag/bin/python" -m pytest -q -n 2 -m "not slow"
done

# The hook, as a stranger's repository would run it.
sample=$(mktemp -d)
trap 'rm -rf "$sample"' EXIT
cp examples/flawed/*.py "$sample"
git -C "$sample" init -q
git -C "$sample" add .
.venv/bin/python -m pip install --quiet --disable-pip-version-check pre-commit
here=$(pwd)
if (cd "$sample" && "$here/.venv/bin/pre-commit" try-repo "$here" gotcha-lint --all-files --verbose > out.txt 2>&1); then
    echo "pre-commit try-repo: the hook found nothing" && exit 1
fi
grep -q "host-random-in-jit" "$sample/out.txt" && echo "pre-commit try-repo: the hook ran and found the faults"
