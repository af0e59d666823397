"""docs/gotchas/README.md: every gotcha, by family."""

from __future__ import annotations

from pages import prices
from pages.catalogue import Gotcha, gotchas

HEAD = (
    *("gotcha", "what the code does", "family", "severity"),
    *("linter", "sanitizer", "trainer", "fix", "price"),
)


def page() -> str:
    lines = [
        "# Gotchas",
        "",
        "If you know a symptom and not a name: [by symptom](symptoms.md). The price compares bad "
        "code with good code on a CPU; each page says what was measured. *linter*: a rule finds "
        "it, with this [confidence](../linter.md#severity-and-confidence). *sanitizer*: it is seen "
        "while the program runs, or explained after the crash (as `gotcha-lint --explain-error` "
        "does). Known pitfalls without a page are [listed too](../left-out.md).",
        "",
        "| " + " | ".join(HEAD) + " |",
        "| --- " * len(HEAD) + "|",
    ]
    rows = (" | ".join(_row(gotcha)) for gotcha in gotchas().values())
    return "\n".join([*lines, *(f"| {row} |" for row in rows)]) + "\n"


def _row(gotcha: Gotcha) -> tuple[str, ...]:
    return (
        f"[{gotcha.name}]({gotcha.name}.md)",
        gotcha.summary.replace("|", "\\|"),
        gotcha.family,
        gotcha.severity,
        gotcha.linter,
        gotcha.sanitizer,
        gotcha.trainer,
        "yes" if gotcha.rule and gotcha.rule.fixable else "",
        prices.short(gotcha),
    )
