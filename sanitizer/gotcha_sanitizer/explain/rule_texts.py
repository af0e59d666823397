"""What is known about a gotcha's name: the rule of the linter, or the check's docstring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from gotcha_lint.config.selection import RuleText
from gotcha_lint.home import page_url
from gotcha_lint.registry import rules
from gotcha_sanitizer.checks import checks


@dataclass(frozen=True)
class CheckText:
    """A gotcha that only a run shows, in the shape of a rule of the linter."""

    name: str
    explanation: str
    family: str = "run-time"
    severity: str = "warning"
    confidence: str = "high"
    fixable: bool = False
    examples: Sequence[Mapping[str, Any]] = field(default=())
    confirmed_by: Sequence[tuple[str, str]] = ()

    @property
    def summary(self) -> str:
        return self.explanation.partition("\n")[0]

    @property
    def url(self) -> str:
        return page_url(self.name)


@cache
def rule_text(name: str) -> RuleText | None:
    """The text of a gotcha; None for a name that neither the linter nor a check has."""
    found = rules().get(name)
    if found is not None:
        return found
    for check in checks().values():
        if name in check.finds():
            return CheckText(name, check.explanation())
    return None
