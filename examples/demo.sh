#!/usr/bin/env bash
# What `make demo` shows. BIN is the folder of the environment's programs.
set -euo pipefail
cd "$(dirname "$0")"
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
say() { printf '\n\033[1m# %s\033[0m\n' "$*"; }
show() { printf '\033[1m$ %s\033[0m\n' "$*"; }

say "examples/flawed: a project that runs and looks right. What does reading it tell?"
show gotcha-lint --preview --statistics flawed
"$BIN/gotcha-lint" --preview --statistics --exit-zero flawed

say "One finding in full, what is known about its line, and its page"
show gotcha-lint --select host-random-in-jit flawed
"$BIN/gotcha-lint" --select host-random-in-jit --exit-zero flawed
show gotcha-lint --why flawed/train.py:42
"$BIN/gotcha-lint" --why flawed/train.py:42
show "gotcha-lint --explain host-random-in-jit     # the first lines of its page"
"$BIN/gotcha-lint" --explain host-random-in-jit | sed -n 1,20p

say "Some are put right by themselves"
show "cp -r flawed copy && gotcha-lint --preview --fix copy > /dev/null && diff -r flawed copy"
cp -r flawed "$run/copy"
(cd "$run" && "$BIN/gotcha-lint" --preview --fix --exit-zero copy > /dev/null)
diff -r -x __pycache__ flawed "$run/copy" | sed "s|$run/||" || true

say "What no reading can see: a run under the sanitizer"
show GOTCHA_SANITIZE=1 python flawed/train.py
GOTCHA_OPTIONS="log_path=$run/flawed.jsonl" GOTCHA_SANITIZE=1 \
    "$BIN/python" flawed/train.py --save "$run/flawed.pkl"

say "The same project, put right: see diff -r flawed fixed"
show gotcha-lint --preview fixed
"$BIN/gotcha-lint" --preview fixed
show GOTCHA_SANITIZE=1 python fixed/train.py
GOTCHA_OPTIONS="log_path=$run/fixed.jsonl" GOTCHA_SANITIZE=1 \
    "$BIN/python" fixed/train.py --save "$run/fixed.pkl"
show gotcha-sanitize diff flawed.jsonl fixed.jsonl
"$BIN/gotcha-sanitize" diff "$run/flawed.jsonl" "$run/fixed.jsonl" | head -n 1

say "The reference trainer, with the same tools watching"
cd ..
show GOTCHA_SANITIZE=1 python -m reference_trainer train --preset cpu_smoke --out RUN
GOTCHA_SANITIZE=1 "$BIN/python" -m reference_trainer train --preset cpu_smoke --out "$run/cpu_smoke"
show python -m reference_trainer sample --out RUN --prompt "'def '"
"$BIN/python" -m reference_trainer sample --out "$run/cpu_smoke" --prompt "def "
