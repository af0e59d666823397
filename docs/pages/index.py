"""docs/gotchas/README.md: every gotcha, by family."""

from __future__ import annotations

from pages import prices
from pages.catalogue import Gotcha, gotchas

HEAD = ("gotcha", "family", "severity", "linter", "sanitizer", "trainer", "fix", "price", "")


def page() -> str:
    lines = [
        "# Gotchas",
        "",
        "By what one sees rather than by name: [by symptom](symptoms.md). Prices are of a CPU, bad "
        "against good; each page says of what. *linter*: on by default, or in preview. "
        "*sanitizer*: seen while the program runs, or explained after its crash (and by "
        "`gotcha-lint --explain-error`). What is known and not here: [left out](../left-out.md).",
        "",
        "| " + " | ".join(HEAD) + " |",
        "| --- " * len(HEAD) + "|",
    ]
    rows = (" | ".join(_row(gotcha)) for gotcha in gotchas().values())
    return "\n".join([*lines, *(f"| {row} |" for row in rows)]) + "\n"


def _row(gotcha: Gotcha) -> tuple[str, ...]:
    return (
        f"[{gotcha.name}]({gotcha.name}.md)",
        gotcha.family,
        gotcha.severity,
        gotcha.linter,
        gotcha.sanitizer,
        gotcha.trainer,
        "yes" if gotcha.rule and gotcha.rule.fixable else "",
        prices.short(gotcha),
        gotcha.summary.replace("|", "\\|"),
    )
