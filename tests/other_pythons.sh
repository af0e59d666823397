#!/usr/bin/env bash
# The tests on every Python and JAX that has a constraints file and an interpreter on this machine,
# and the pre-commit hook on a sample repository. `make test-all` runs it. Its last lines say which
# versions were tested and which are not here.
set -euo pipefail
cd "$(dirname "$0")/.."
tested=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])') absent=
own=$tested
for file in constraints/py3*.txt; do
    tag=$(basename "$file" .txt)
    tag=${tag#py}
    version=3.${tag#3}
    if [ "$version" = "$own" ]; then
        continue
    fi
    python=$(bash tests/find_python.sh "$version")
    if [ -z "$python" ]; then
        absent+=" $version"
        continue
    fi
    # On 3.14 the scenarios of the sanitizer have no snapshots yet: the linter, and what a program
    # meets first.
    chosen=()
    if [ "$version" = 3.14 ]; then
        chosen=(tests/lint tests/sanitizer/test_{api,cli,startup}.py
            tests/sanitizer/checks/test_{slow_path,traps}.py)
        version+=" (in part)"
    fi
    make env PYTHON="$python" VENV=".venv-$tag"
    GOTCHA_EXAMPLES=new ".venv-$tag/bin/python" -m pytest -q -n 2 -m "not slow" \
        ${chosen[@]+"${chosen[@]}"}
    tested+=" $version"
done

# Without the global lock there is no JAX yet: the linter alone, in an environment without it.
python=$(bash tests/find_python.sh 3.14t)
if [ -n "$python" ]; then
    "$python" -m venv .venv-314t
    .venv-314t/bin/python -m pip install --quiet --disable-pip-version-check . pytest hypothesis
    .venv-314t/bin/python -m pytest -q tests/lint/interpret tests/lint/program tests/lint/domain \
        tests/lint/test_cli.py tests/lint/test_engine.py tests/lint/test_any_python.py
    tested+=" 3.14t"
else
    absent+=" 3.14t"
fi

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

echo "tested with Python $tested"
echo "not on this machine, not tested:${absent:- none}"
