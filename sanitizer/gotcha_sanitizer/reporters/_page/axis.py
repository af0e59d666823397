"""Round numbers for axes."""

from __future__ import annotations

import math


def ticks(end: float, most: int, unit: float = 1.0) -> list[float]:
    """At most `most` steps of 1, 2 or 5 times a power of ten of the unit, from 0 to `end`."""
    if not end > 0:
        return [0.0]
    rough = end / unit / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = unit * next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    return [i * step for i in range(int(end / step + 1e-9) + 1)]


def times(end: float, most: int) -> list[float]:
    """Seconds; whole minutes or hours on a long run."""
    unit = 3600 if end > most * 1800 else 60 if end > most * 30 else 1
    return ticks(end, most, unit)


def sizes(end: float, most: int) -> list[float]:
    """Bytes, in steps of the unit that they are written in."""
    return ticks(end, most, 1024.0 ** max(0, int(math.log(max(end, 1), 1024))))
