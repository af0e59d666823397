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


def is_multiple(a: Affine | None, of: Affine | None) -> bool:
    """Is `a` a whole number of times `of` for all values of the symbols (must)?

    A product is a symbol of its own, `("*", one sum, another)`.
    """
    if a is None or of is None:
        return False
    if not of[0]:
        return bool(of[1]) and not any(number % of[1] for number in (a[1], *(f for _, f in a[0])))
    if a[1] or len(of[0]) != 1 or of[1]:
        return False
    ((name, factor),) = of[0]
    return all(
        (each == name and times % factor == 0)
        or (isinstance(each, tuple) and each[:1] == ("*",) and factor == 1 and of in each[1:])
        for each, times in a[0]
    )
