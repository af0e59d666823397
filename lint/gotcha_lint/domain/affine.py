"""Sums of symbols with integer factors: `2*n + 1`.

A sum is `(((symbol, factor), ...), constant)`, its symbols ordered; None is "not such a sum".
Sizes are compared and subtracted in this form, so `x[i : i + b]` has the size `b`.
"""

from __future__ import annotations

from collections.abc import Hashable

Terms = tuple[tuple[Hashable, int], ...]
Affine = tuple[Terms, int]

ZERO: Affine = ((), 0)


def constant(value: int) -> Affine:
    return (), value


def symbol(name: Hashable) -> Affine:
    return ((name, 1),), 0


def add(a: Affine | None, b: Affine | None, sign: int = 1) -> Affine | None:
    """`a + sign * b`; None where one of them is None."""
    if a is None or b is None:
        return None
    if not b[0]:
        return a[0], a[1] + sign * b[1]
    terms = dict(a[0])
    for name, factor in b[0]:
        terms[name] = terms.get(name, 0) + sign * factor
    kept = ((name, factor) for name, factor in terms.items() if factor)
    return tuple(sorted(kept, key=repr)), a[1] + sign * b[1]


def scale(a: Affine | None, factor: int) -> Affine | None:
    if a is None:
        return None
    if not factor:
        return ZERO
    return tuple((name, old * factor) for name, old in a[0]), a[1] * factor


def is_constant(a: Affine | None) -> bool:
    return a is not None and not a[0]
