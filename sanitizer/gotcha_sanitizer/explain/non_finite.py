"""Why an operation made a NaN or an infinity, from its name and the ranges of its operands.

A must-analysis: it answers only where the ranges prove the reason, else None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol


class Operand(Protocol):
    """What is read of an operand; the range is that of its finite elements."""

    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...
    @property
    def nans(self) -> int: ...
    @property
    def infs(self) -> int: ...


class Reason(NamedTuple):
    """`name` stays the same from release to release; `text` says what happened, and what to do."""

    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.text} ({self.name})"


_SAFE = "keep the input inside the domain before the call: `jnp.where` on the result is too late"
_ADDS = frozenset({"add", "add_any", "sub", "reduce_sum", "cumsum"})
_PRODUCTS = frozenset({"mul", "dot_general", "conv_general_dilated"})
_GROWS = frozenset({"exp", "exp2", "expm1", "sinh", "cosh", "integer_pow", "pow", "square"})


def reason(kind: str, primitive: str, backward: bool, operands: Sequence[Operand]) -> Reason | None:
    """`kind` is nan or inf. `backward`: the operation belongs to the pass that makes gradients."""
    if not operands:
        return None
    if backward and kind == "nan" and primitive in _PRODUCTS and _zero_and_infinity(operands):
        return Reason(
            "infinite-derivative",
            "a derivative is infinite here, and 0 times infinity is NaN; " + _SAFE,
        )
    if backward and kind == "inf" and primitive == "div" and _has_zero(operands[-1]):
        return Reason("infinite-derivative", "a derivative is infinite at 0; " + _SAFE)
    found = _OF.get(primitive)
    if found is not None and (told := found(kind, operands)) is not None:
        return told
    if kind == "nan" and primitive in _PRODUCTS and _zero_and_infinity(operands):
        return Reason("zero-times-infinity", "0 times infinity")
    if kind == "nan" and primitive in _ADDS and any(each.infs for each in operands):
        return Reason("infinity-minus-infinity", "infinities of both signs are added")
    finite = all(not each.nans and not each.infs for each in operands)
    if kind == "inf" and finite and primitive in _GROWS | _ADDS | _PRODUCTS:
        return Reason("overflow", "the result is larger than its type can hold")
    return None


def _log(kind: str, operands: Sequence[Operand]) -> Reason | None:
    given = operands[0]
    if kind == "nan" and _below(given, 0.0):
        return Reason("log-of-negative-number", "the logarithm of a negative number; " + _SAFE)
    if kind == "inf" and _has_zero(given):
        return Reason("log-of-zero", "the logarithm of 0; " + _SAFE)
    return None


def _log1p(kind: str, operands: Sequence[Operand]) -> Reason | None:
    given = operands[0]
    if kind == "nan" and _below(given, -1.0):
        return Reason("log-of-negative-number", "`log1p` of a number below -1; " + _SAFE)
    if kind == "inf" and given.low == -1.0:
        return Reason("log-of-zero", "`log1p` of -1; " + _SAFE)
    return None


def _root(kind: str, operands: Sequence[Operand]) -> Reason | None:
    if kind == "nan" and _below(operands[0], 0.0):
        return Reason("root-of-negative-number", "the root of a negative number; " + _SAFE)
    if kind == "inf" and _has_zero(operands[0]):
        return Reason("division-by-zero", "1 divided by the root of 0; " + _SAFE)
    return None


def _div(kind: str, operands: Sequence[Operand]) -> Reason | None:
    above, below = operands[0], operands[-1]
    if kind == "nan" and _has_zero(below) and _has_zero(above):
        return Reason("zero-divided-by-zero", "0 is divided by 0; " + _SAFE)
    if kind == "nan" and above.infs and below.infs:
        return Reason("infinity-divided-by-infinity", "infinity is divided by infinity")
    if kind == "inf" and _has_zero(below):
        return Reason("division-by-zero", "a number is divided by 0; " + _SAFE)
    return None


def _arc(kind: str, operands: Sequence[Operand]) -> Reason | None:
    given = operands[0]
    if kind == "nan" and (_below(given, -1.0) or _above(given, 1.0)):
        text = "the input is outside of -1 to 1; clip it before the call"
        return Reason("outside-domain", text)
    return None


def _pow(kind: str, operands: Sequence[Operand]) -> Reason | None:
    if kind == "nan" and _below(operands[0], 0.0):
        return Reason(
            "power-of-negative-number", "a negative number to a power that is no whole number"
        )
    return None


_OF: dict[str, Callable[[str, Sequence[Operand]], Reason | None]] = {
    "log": _log,
    "log1p": _log1p,
    "sqrt": _root,
    "rsqrt": _root,
    "div": _div,
    "acos": _arc,
    "asin": _arc,
    "atanh": _arc,
    "erf_inv": _arc,
    "pow": _pow,
}


def _below(operand: Operand, bound: float) -> bool:
    return operand.low is not None and operand.low < bound


def _above(operand: Operand, bound: float) -> bool:
    return operand.high is not None and operand.high > bound


def _has_zero(operand: Operand) -> bool:
    """May be true without a zero, where the range has both signs: then nothing else is known."""
    return operand.low is not None and operand.high is not None and operand.low <= 0 <= operand.high


def _zero_and_infinity(operands: Sequence[Operand]) -> bool:
    return any(each.infs for each in operands) and any(_has_zero(each) for each in operands)
