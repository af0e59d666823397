"""How many equations of a program each Python line made: what XLA has to compile, by its author.

One linear walk; a jaxpr that several calls share is counted once, as XLA sees it before inlining.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from gotcha_sanitizer.hooks.constants import inner_jaxprs
from gotcha_sanitizer.hooks.jaxpr import jaxprs
from gotcha_sanitizer.values.parts import Equations, Site

_FEWEST = 1000  # equations: smaller programs compile fast
_LOOKED = 200  # equations whose lines are looked up: 10 us each, beside seconds of compiling
_LINES = 3


def equations(jaxpr: Any) -> Equations | None:
    """None for a small program. Counts by line are those of a sample, scaled."""
    parts = [getattr(closed, "jaxpr", closed).eqns for closed in inner_jaxprs(jaxpr)]
    total = sum(map(len, parts))
    if total < _FEWEST:
        return None
    every = [equation for part in parts for equation in part]
    # At random, for every n-th one could always be the same line of a loop; and the same each time.
    sample = random.Random(total).sample(every, _LOOKED)
    lines: Counter[Site] = Counter()
    for equation in sample:
        if users := jaxprs.users(equation):
            lines[users[0].site] += 1
    step = total / _LOOKED
    shown = tuple((site, round(count * step)) for site, count in lines.most_common(_LINES))
    return Equations(total, shown)
