"""Arguments and results of the table: avals, Python numbers, types, sizes; and what ends a rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Any, NoReturn, cast

Dimension = Any  # an int or a Dim
Shape = tuple[Any, ...]  # of dimensions
Shapes = Shape | list[Shape]  # a list where a call gives several arrays


@dataclass(frozen=True, slots=True)
class Aval:
    """An array: `shape` None where it is not known."""

    shape: Shape | None
    dtype: str
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Scalar:
    """A Python number; `value` is None where only its type is known."""

    kind: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class DType:
    """A type as an argument."""

    name: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """There is no rule, or an argument that it cannot judge."""

    why: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The library raises an error for this call."""

    why: str


class Stop(Exception):
    """Ends a rule with its answer."""

    def __init__(self, verdict: Unknown | Refused) -> None:
        self.verdict = verdict


def unknown(why: str) -> NoReturn:
    raise Stop(Unknown(why))


def refuse(why: str) -> NoReturn:
    raise Stop(Refused(why))


Monomial = tuple[Any, ...]  # symbols, in order; a symbol twice is its square


class Dim:
    """A size as a polynomial over symbols: monomials and their integer factors.

    What has no symbol is an int. A symbol is any hashable; `("//", dim, number)` is a quotient.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Iterable[tuple[Monomial, int]]) -> None:
        self.terms = tuple(sorted(terms, key=repr))

    @staticmethod
    def make(terms: dict[Monomial, int]) -> Any:
        kept = {monomial: factor for monomial, factor in terms.items() if factor}
        if not kept:
            return 0
        return kept[()] if set(kept) == {()} else Dim(kept.items())

    @staticmethod
    def symbol(name: Any) -> Dim:
        return Dim([((name,), 1)])

    @staticmethod
    def of(value: Any) -> tuple[tuple[Monomial, int], ...]:
        if isinstance(value, Dim):
            return value.terms
        return (((), value),) if value else ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.terms)

    def __add__(self, other: Any) -> Any:
        out = dict(self.terms)
        for monomial, factor in Dim.of(other):
            out[monomial] = out.get(monomial, 0) + factor
        return Dim.make(out)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        out: dict[Monomial, int] = {}
        for monomial, factor in self.terms:
            for more, by in Dim.of(other):
                key = tuple(sorted(monomial + more, key=repr))
                out[key] = out.get(key, 0) + factor * by
        return Dim.make(out)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        return self + (other * -1)

    def __rsub__(self, other: Any) -> Any:
        return other + (self * -1)

    def __floordiv__(self, other: Any) -> Any:
        if other == 1:
            return self
        if isinstance(other, int) and other > 0:
            if all(factor % other == 0 for _, factor in self.terms):
                return Dim.make({m: factor // other for m, factor in self.terms})
            return Dim.symbol(("//", self, other))
        if not isinstance(other, Dim) or len(other.terms) != 1:
            unknown("division of dimensions")
        (divisor, by), out = other.terms[0], {}
        for monomial, factor in self.terms:
            rest = list(monomial)
            for symbol in divisor:
                if symbol not in rest:
                    unknown("division of dimensions")
                rest.remove(symbol)
            if factor % by:
                unknown("division of dimensions")
            out[tuple(rest)] = factor // by
        return Dim.make(out)

    def __repr__(self) -> str:
        def text(monomial: Monomial, factor: int) -> str:
            head = () if factor == 1 and monomial else (factor,)
            return "*".join(map(str, head + monomial))

        return "+".join(text(monomial, factor) for monomial, factor in self.terms)

    def value(self, sizes: dict[Any, int]) -> int:
        """The number, where the symbols are these numbers."""
        total = 0
        for monomial, factor in self.terms:
            for symbol in monomial:
                factor *= _symbol_value(symbol, sizes)
            total += factor
        return total


def _symbol_value(symbol: Any, sizes: dict[Any, int]) -> int:
    if symbol in sizes:
        return sizes[symbol]
    _, dim, by = cast("tuple[str, Dim, int]", symbol)
    return dim.value(sizes) // by


def count(shape: Iterable[Any]) -> Any:
    """The number of elements."""
    return prod(shape, start=1)


def least(a: Any, b: Any) -> Any:
    if a == b:
        return a
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    unknown("minimum of symbols")
