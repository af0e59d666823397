#!/usr/bin/env bash
# What `make demo` shows. BIN is the folder of the environment's programs; what it keeps is in OUT.
set -euo pipefail
cd "$(dirname "$0")/.."
BIN=${BIN:-$(dirname "$(command -v gotcha-lint)")}
OUT=${OUT:-demo-out}
rm -rf "$OUT"
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); else bold='' plain=''; fi
say() { printf '\n%s# %s%s\n' "$bold" "$*" "$plain"; }
show() { printf '%s$ %s%s\n' "$bold" "$*" "$plain"; }
SECONDS=0

cat <<'TEXT'
One fault, from the code to the run and back, on a program of 30 lines (examples/story/before.py):
  1. the linter reads it           2 s
  2. a run under the sanitizer    15 s    what the fault costs
  3. the fix, and a second run     8 s
  4. the reference trainer        35 s    killed and resumed
About a minute on two cores, no network. Everything is kept in demo-out/. Commands are shown as you
can type them here, with the programs of the environment on the path: `. .venv/bin/activate`.
TEXT

say "1. The linter reads the program; it runs nothing"
show gotcha-lint examples/story/before.py
"$BIN/gotcha-lint" --exit-zero examples/story/before.py
"$BIN/gotcha-lint" --exit-zero --quiet --color never examples/story/before.py > "$OUT/finding.txt"

say "2. The program runs, learns, and nothing warns. The sanitizer says what the fault costs"
show "GOTCHA_SANITIZE=1 GOTCHA_OPTIONS=log_path=demo-out/before.jsonl:html=demo-out/run.html \\"
printf "  %s\n" "    python examples/story/before.py"
GOTCHA_SANITIZE=1 GOTCHA_OPTIONS="log_path=$OUT/before.jsonl:html=$OUT/run.html:max_lines=20" \
    "$BIN/python" examples/story/before.py

say "3. The fix: pad to one length, and leave the padding out of the mean"
show "diff -U0 examples/story/before.py examples/story/after.py"
diff -U0 examples/story/before.py examples/story/after.py | tail -n +3 | tee "$OUT/fix.diff" || true
"$BIN/gotcha-lint" --quiet examples/story/after.py
show "GOTCHA_SANITIZE=1 GOTCHA_OPTIONS=log_path=demo-out/after.jsonl:quiet=1 python examples/story/after.py"
GOTCHA_SANITIZE=1 GOTCHA_OPTIONS="log_path=$OUT/after.jsonl:quiet=1" "$BIN/python" examples/story/after.py
show "gotcha-sanitize diff demo-out/before.jsonl demo-out/after.jsonl"
"$BIN/gotcha-sanitize" diff "$OUT/before.jsonl" "$OUT/after.jsonl" > "$OUT/diff.txt"
head -n 1 "$OUT/diff.txt"

say "4. The reference trainer: one compiled step, and a run that survives a kill"
"$BIN/python" examples/kill_and_resume.py "$OUT" | tee "$OUT/trainer.txt"

say "What happened, in $SECONDS s"
"$BIN/python" examples/demo_summary.py "$OUT"
