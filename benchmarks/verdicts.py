"""What people who read findings on real code decided: the committed verdicts, counted by rule.

`verdicts.jsonl` holds one object a line: project, version, file, line, rule, true, why, and reader
(1, or 2 for the independent second reading). `unseen` marks the first run over projects on which
no rule had been mended before, `gone` a false alarm that is not reported any more, `deliberate` a
fault that a tutorial or a test shows on purpose, `outside` JAX's own sources

A rule is on by default with at least 10 judged real findings of which 95 % are true; with fewer,
none of them may be false and its planted faults (the marked lines of its example and of
`tests/lint/cases/`) have to be found, which the tests see to.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gotcha_lint.registry import rules

VERDICTS = Path(__file__).with_name("verdicts.jsonl")
ENOUGH, SHARE = 10, 0.95
_LEFT_OUT = ("gone", "deliberate", "outside")


@dataclass(frozen=True)
class Judged:
    """The verdicts on one rule."""

    rule: str
    preview: bool
    true: int
    false: int

    @property
    def total(self) -> int:
        return self.true + self.false

    @property
    def precise(self) -> bool:
        """Whether real code allows the rule to be on by default."""
        if self.total < ENOUGH:
            return self.false == 0
        return self.true >= SHARE * self.total


def read(path: Path = VERDICTS) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def place(verdict: dict[str, Any]) -> tuple[str, str, int, str]:
    return verdict["project"], verdict["file"], verdict["line"], verdict["rule"]


def by_rule(verdicts: Iterable[dict[str, Any]]) -> list[Judged]:
    """The first reading of what is reported, counted; some rules nobody has seen in real code."""
    first = [v for v in verdicts if v.get("reader", 1) == 1]
    first = [v for v in first if not any(map(v.get, _LEFT_OUT))]
    found = []
    for name, info in rules().items():
        if info.module:
            own = [v for v in first if v["rule"] == name]
            true = sum(v["true"] for v in own)
            found.append(Judged(name, info.preview, true, len(own) - true))
    return found


def at_first_sight(verdicts: Iterable[dict[str, Any]]) -> Judged:
    """The rules on by default, over projects that nobody had looked at: what a new user sees."""
    preview = {name for name, info in rules().items() if info.preview}
    own = [v for v in verdicts if v.get("unseen") and v.get("reader", 1) == 1]
    own = [v for v in own if v["rule"] not in preview]
    true = sum(v["true"] for v in own)
    return Judged("on by default", False, true, len(own) - true)


def disagreements(verdicts: list[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pairs of first and second readings that differ."""
    first = {place(v): v for v in verdicts if v.get("reader", 1) == 1}
    fresh = at_first_sight(verdicts)
    print(f"of these at first sight, on unseen projects: {fresh.true} of {fresh.total}")
    second = [v for v in verdicts if v.get("reader") == 2]
    return [
        (first[place(v)], v)
        for v in second
        if place(v) in first and first[place(v)]["true"] != v["true"]
    ]


def main() -> int:
    verdicts = read()
    table = by_rule(verdicts)
    print(f"{'rule':<32} {'judged':>6} {'true':>5} {'share':>6}  state")
    for row in table:
        share = f"{100 * row.true / row.total:.0f} %" if row.total else "-"
        state = "preview" if row.preview else "on" if row.precise else "ON, BUT NOT PRECISE ENOUGH"
        print(f"{row.rule:<32} {row.total:>6} {row.true:>5} {share:>6}  {state}")
    on = [row for row in table if not row.preview]
    true, total = sum(r.true for r in on), sum(r.total for r in on)
    print(
        f"\nrules on by default: {true} of {total} judged findings true "
        f"({100 * true / max(total, 1):.1f} %)"
    )
    fresh = at_first_sight(verdicts)
    print(f"of these at first sight, on unseen projects: {fresh.true} of {fresh.total}")
    second = [v for v in verdicts if v.get("reader") == 2]
    differ = disagreements(verdicts)
    print(f"second reading: {len(second)} findings, {len(differ)} disagreements")
    for one, other in differ:
        print(
            f"  {one['project']} {one['file']}:{one['line']} {one['rule']}: "
            f"{one['true']} / {other['true']}: {other['why']}"
        )
    return int(any(not row.preview and not row.precise for row in table))


if __name__ == "__main__":
    sys.exit(main())
