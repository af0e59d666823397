"""How many equations of a program each Python line made: what XLA has to compile, by its author.

One linear walk; a jaxpr that several calls share is counted once, as XLA sees it before inlining.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from gotcha_sanitizer.hooks import jaxprs
from gotcha_sanitizer.hooks.constants import inner_jaxprs
from gotcha_sanitizer.parts import Equations, Site

_FEWEST = 300  # equations: smaller programs compile fast
_LOOKED = 1000  # equations whose lines are looked up: 10 us each
_LINES = 3


def equations(jaxpr: Any) -> Equations | None:
    """None for a small program. Of a large one every n-th equation is looked at."""
    parts = [getattr(closed, "jaxpr", closed).eqns for closed in inner_jaxprs(jaxpr)]
    total = sum(map(len, parts))
    if total < _FEWEST:
        return None
    step = max(1, total // _LOOKED)
    every = [equation for part in parts for equation in part][::step]
    lines: Counter[Site] = Counter()
    for equation in every:
        if users := jaxprs.users(equation):
            lines[users[0].site] += 1
    shown = tuple((site, count * step) for site, count in lines.most_common(_LINES))
    return Equations(total, shown)
