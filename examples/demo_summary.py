"""The last lines of `make demo`, from what it kept: `python demo_summary.py FOLDER`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path


def programs(record: Path) -> tuple[int, float]:
    """How many programs a run compiled, and the seconds that it took."""
    for line in record.read_text("utf-8").splitlines():
        event = json.loads(line)
        if event["event"] == "summary":
            return event["compiles"], sum(event["seconds"].values())
    raise SystemExit(f"{record}: a record without a summary")


def main() -> int:
    out = Path(sys.argv[1])
    found = re.match(r"\S+?:(\d+):\d+: \w+\[([\w-]+)\]", (out / "finding.txt").read_text("utf-8"))
    assert found is not None
    before, slow = programs(out / "before.jsonl")
    after, quick = programs(out / "after.jsonl")
    trainer = (out / "trainer.txt").read_text("utf-8").splitlines()
    print(f"  linter     line {found[1]}: {found[2]}, with the reason chain, before anything ran")
    print(f"  before     {before} programs compiled, {slow:.1f} s")
    print(f"  after      {after} programs compiled, {quick:.1f} s; the same loss")
    print(f"  trainer    {trainer[-2].strip()}")
    print(f"             {trainer[-1].strip()}")
    print("open demo-out/run.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
