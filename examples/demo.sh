#!/usr/bin/env bash
# What `make demo` shows. BIN is the folder of the environment's programs.
set -euo pipefail
cd "$(dirname "$0")"
say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }

say gotcha-lint flawed
"$BIN/gotcha-lint" flawed || true
say gotcha-lint --why flawed/train.py:27
"$BIN/gotcha-lint" --why flawed/train.py:27
say gotcha-lint --explain traced-if
"$BIN/gotcha-lint" --explain traced-if
say GOTCHA_SANITIZE=1 python slow.py
GOTCHA_SANITIZE=1 "$BIN/python" slow.py
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
cd ..
say GOTCHA_SANITIZE=1 python -m reference_trainer train --preset cpu_smoke --out RUN
GOTCHA_SANITIZE=1 "$BIN/python" -m reference_trainer train --preset cpu_smoke --out "$run/cpu_smoke"
say python -m reference_trainer sample --out RUN --prompt "'def '"
"$BIN/python" -m reference_trainer sample --out "$run/cpu_smoke" --prompt "def "
