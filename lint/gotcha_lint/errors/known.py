"""One row of the table of messages."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """A message: what it means, what to do, and the gotchas it belongs to, best first.

    Groups of the pattern can be used in `means` and `fix`; the group `argument` names the culprit.
    """

    pattern: re.Pattern[str]
    names: tuple[str, ...]
    means: str
    fix: str


def row(pattern: str, names: str, means: str, fix: str) -> Known:
    return Known(re.compile(pattern, re.DOTALL), tuple(names.split()), means, fix)
