"""Round numbers for axes."""

from __future__ import annotations

import math


def ticks(end: float, most: int) -> list[float]:
    """At most `most` steps of 1, 2 or 5 times a power of ten, from 0 to `end`."""
    if not end > 0:
        return [0.0]
    rough = end / most
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    return [i * step for i in range(int(end / step + 1e-9) + 1)]
