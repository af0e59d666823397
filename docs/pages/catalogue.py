"""Every gotcha with all that is known of it: the rule, the check, the errors, the trainer's places.

Needs neither JAX nor LibCST.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property

from measuring.programs import about
from trainer_marks import Mark, marks

from gotcha_lint.errors import TABLE
from gotcha_lint.errors.known import Known
from gotcha_lint.registry import RuleInfo, rules
from gotcha_sanitizer.check import Check
from gotcha_sanitizer.checks import checks

_SECTION = re.compile(r"^## (?P<title>[^\n]+)\n(?P<text>.*?)(?=^## |\Z)", re.M | re.S)
RUN_TIME, CRASH = "run time", "crash"  # families of what has no rule


@dataclass(frozen=True)
class Gotcha:
    """One name and its three sides; a side that is missing is None or empty."""

    name: str
    rule: RuleInfo | None = None
    check: type[Check] | None = None
    errors: tuple[Known, ...] = ()  # messages of JAX that mean this gotcha first of all
    explained: bool = False  # there is a message of JAX that may mean it
    seen_as: tuple[tuple[str, str], ...] = ()  # (check, cause) by which a run confirms the rule
    marks: tuple[Mark, ...] = ()

    @property
    def family(self) -> str:
        return self.rule.family if self.rule else RUN_TIME if self.check else CRASH

    @property
    def severity(self) -> str:
        if self.rule:
            return self.rule.severity
        return "warning" if self.check else "error"

    @property
    def text(self) -> str:
        """The rule's docstring, else that of the example, with what to do from check or errors."""
        if self.rule:
            return self.rule.explanation
        first, _, rest = about(self.name).partition("\n\n")
        sections = [f"## What happens\n{rest}"] if rest else []
        if "## Instead" not in rest and (instead := self._instead()):
            sections.append(f"## Instead\n{instead}")
        return "\n\n".join([first, *sections])

    @cached_property
    def sections(self) -> dict[str, str]:
        """The parts of the text that have a title, by it."""
        return {match["title"]: match["text"].strip() for match in _SECTION.finditer(self.text)}

    @property
    def summary(self) -> str:
        return self.text.partition("\n")[0]

    def _instead(self) -> str:
        if self.check:
            return self.check.explanation().partition("## Instead\n")[2]
        return "\n\n".join(dict.fromkeys(filled(row.fix) for row in self.errors))

    @property
    def linter(self) -> str:
        """How sure the rule is, where there is one."""
        return self.rule.confidence if self.rule else ""

    @property
    def sanitizer(self) -> str:
        """Seen while the program runs, or explained after its traceback."""
        if self.check or self.seen_as:
            return "run"
        return "crash" if self.explained else ""

    @property
    def trainer(self) -> str:
        return "shown" if self.marks else ""


def filled(template: str) -> str:
    """A text of the table of errors, with a word in angle brackets where a message fills in."""
    named = re.sub(r"(?<!\{)\{(\w+)\}(?!\})", r"<\1>", template)
    return named.replace("{{", "{").replace("}}", "}")


@cache
def gotchas() -> dict[str, Gotcha]:
    """All of them by name: those with a rule family by family, then run time, then crashes."""
    ruled = {name: info for name, info in rules().items() if info.module}
    checked = {n: check for check in checks().values() for n in check.gotchas or (check.name(),)}
    first: dict[str, list[Known]] = {}
    for row in TABLE:
        first.setdefault(row.names[0], []).append(row)
    explained = {name for row in TABLE for name in row.names}
    shown = marks()
    found = [
        Gotcha(
            name,
            rule=ruled.get(name),
            check=checked.get(name),
            errors=tuple(first.get(name, ())),
            explained=name in explained,
            seen_as=tuple(pair for pair in _confirming(ruled.get(name)) if pair[0] in checked),
            marks=tuple(shown.get(name, ())),
        )
        for name in {*ruled, *checked, *first}
    ]
    return {each.name: each for each in sorted(found, key=_order)}


def _confirming(rule: RuleInfo | None) -> tuple[tuple[str, str], ...]:
    return rule.confirmed_by if rule else ()


def _order(gotcha: Gotcha) -> tuple[int, str, str]:
    return ((RUN_TIME, CRASH).index(gotcha.family) + 1 if not gotcha.rule else 0, *_name(gotcha))


def _name(gotcha: Gotcha) -> tuple[str, str]:
    return gotcha.family, gotcha.name
