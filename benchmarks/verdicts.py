"""What people who read findings on real code decided: the committed verdicts, counted by rule.

`verdicts/RULE.jsonl` holds an object a line: project, version, file, line, true, why, and reader
(1, or 2 for the independent second reading). `unseen` marks the first run over projects on which
no rule had been mended before (1 to 14: fourteen sets of projects), `gone` a finding
that is not reported any more, `deliberate` a fault that a tutorial or a test shows on purpose,
`outside` JAX's own sources.

A rule has high confidence with at least 10 judged real findings of which 95 % are true; with fewer,
none of them may be false, and 90 % of the faults planted for it (`planted_faults.py`, which also
sees that nothing is found in the clean programs) have to be found.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gotcha_lint.registry import rules

VERDICTS = Path(__file__).with_name("verdicts")
PLANTED = Path(__file__).with_name("results") / "planted_faults.json"
ENOUGH, SHARE, RECALL = 10, 0.95, 0.9
RUNS = 14  # over projects that nobody had looked at
_LEFT_OUT = ("gone", "deliberate", "outside")


@dataclass(frozen=True)
class Judged:
    """The verdicts on one rule, and what is found of the faults planted for it."""

    rule: str
    high: bool  # its confidence
    true: int
    false: int
    planted: int = 0
    found: int = 0

    @property
    def total(self) -> int:
        return self.true + self.false

    @property
    def earned(self) -> bool:
        """Whether the rule may have high confidence."""
        if self.total >= ENOUGH:
            return self.true >= SHARE * self.total
        return self.false == 0 and self.found >= RECALL * self.planted > 0


def read(folder: Path = VERDICTS) -> list[dict[str, Any]]:
    """Every verdict, with the name of its rule, which is its file's."""
    return [
        json.loads(line) | {"rule": path.stem}
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
        if line
    ]


def place(verdict: dict[str, Any]) -> tuple[Any, ...]:
    names = ("project", "file", "cell", "line", "rule")  # a cell only of some notebooks
    return tuple(verdict.get(name) for name in names)


def by_rule(verdicts: Iterable[dict[str, Any]]) -> list[Judged]:
    """The first reading of what is reported, counted; some rules nobody has seen in real code."""
    first = [v for v in verdicts if v.get("reader", 1) == 1]
    first = [v for v in first if not any(map(v.get, _LEFT_OUT))]
    planted = json.loads(PLANTED.read_text("utf-8"))["rules"]
    found = []
    for name, info in rules().items():
        if info.module:
            own = [v for v in first if v["rule"] == name]
            true, faults = sum(v["true"] for v in own), planted.get(name, {})
            found.append(
                Judged(
                    name,
                    info.confidence == "high",
                    true,
                    len(own) - true,
                    faults.get("planted", 0),
                    faults.get("found", 0),
                )
            )
    return found


def at_first_sight(
    verdicts: Iterable[dict[str, Any]], number: int, without: frozenset[str] = frozenset()
) -> Judged:
    """The rules of high confidence, over projects that nobody had looked at.

    `number`: each such run came after what those before it had taught. Of the third run's
    findings of removed-api, which were 554, a sample was read; of the last two's none.
    """
    others = {name for name, info in rules().items() if info.confidence != "high"}
    own = [v for v in verdicts if v.get("unseen") == number and v.get("reader", 1) == 1]
    own = [v for v in own if v["rule"] not in others | without]
    true = sum(v["true"] for v in own)
    return Judged("high confidence", True, true, len(own) - true)


def disagreements(verdicts: list[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pairs of first and second readings that differ."""
    first = {place(v): v for v in verdicts if v.get("reader", 1) == 1}
    second = [v for v in verdicts if v.get("reader") == 2]
    return [
        (first[place(v)], v)
        for v in second
        if place(v) in first and first[place(v)]["true"] != v["true"]
    ]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def main() -> int:
    verdicts = read()
    table = by_rule(verdicts)
    print(f"{'rule':<32} {'judged':>6} {'true':>5} {'share':>6} {'planted found':>14}  confidence")
    for row in table:
        recall = f"{row.found} of {row.planted}"
        state = "medium" if not row.high else "high" if row.earned else "HIGH, BUT NOT EARNED"
        share = _share(row.true, row.total)
        print(f"{row.rule:<32} {row.total:>6} {row.true:>5} {share:>6} {recall:>14}  {state}")
    high = [row for row in table if row.high]
    true, total = sum(r.true for r in high), sum(r.total for r in high)
    print(
        f"\nrules of high confidence: {true} of {total} judged findings true "
        f"({100 * true / max(total, 1):.1f} %)"
    )
    for number in range(1, RUNS + 1):
        fresh = at_first_sight(verdicts, number)
        rest = at_first_sight(verdicts, number, frozenset({"removed-api"}))
        print(
            f"at first sight, run {number} over unseen projects: {fresh.true} of {fresh.total}; "
            f"without removed-api {rest.true} of {rest.total}"
        )
    second = [v for v in verdicts if v.get("reader") == 2]
    differ = disagreements(verdicts)
    print(f"second reading: {len(second)} findings, {len(differ)} disagreements")
    for one, other in differ:
        print(
            f"  {one['project']} {one['file']}:{one['line']} {one['rule']}: "
            f"{one['true']} / {other['true']}: {other['why']}"
        )
    return int(any(row.high and not row.earned for row in table))


if __name__ == "__main__":
    sys.exit(main())
