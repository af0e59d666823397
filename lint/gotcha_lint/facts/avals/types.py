"""Types of JAX with 64-bit types off: the promotion lattice, and the types of Python numbers.

A type is a pair of dtype and weak type; as text, a weak type ends with `*`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from gotcha_lint.facts.avals.values import Aval, Dim, DType, Scalar, unknown

Typed = tuple[str, bool]

_ABOVE = {
    "bool": ("i*",),
    "i*": ("uint8", "int8"),
    "uint8": ("uint16", "int16"),
    "uint16": ("uint32", "int32"),
    "int8": ("int16",),
    "int16": ("int32",),
    "uint32": ("int64",),
    "int32": ("int64",),
    "int64": ("f*",),
    "f*": ("bfloat16", "float16", "c*"),
    "bfloat16": ("float32",),
    "float16": ("float32",),
    "float32": ("complex64",),
    "c*": ("complex64",),
    "complex64": (),
}
_CANONICAL = {
    "int64": "int32",
    "uint64": "uint32",
    "float64": "float32",
    "complex128": "complex64",
    "int": "int32",
    "float": "float32",
    "complex": "complex64",
}
_OF_WEAK = {"i*": "int32", "f*": "float32", "c*": "complex64"}
USUAL_WEAK = frozenset(_OF_WEAK.values())  # the types of Python numbers
_INTEGERS = ("int8", "int16", "int32", "uint8", "uint16", "uint32")
STRONG = ("bool", *_INTEGERS, "float16", "bfloat16", "float32", "complex64")
TYPES = (*STRONG, *(f"{name}*" for name in STRONG if name != "bool"))


@cache
def _all_above(node: str) -> frozenset[str]:
    return frozenset((node,)).union(*(_all_above(above) for above in _ABOVE[node]))


def _least_above(nodes: Iterable[str]) -> str:
    common = frozenset.intersection(*(_all_above(node) for node in nodes))
    return next(node for node in common if _all_above(node) == common)


def category(dtype: str) -> str:
    if dtype == "bfloat16":
        return "f*"
    return {"b": "bool", "i": "i*", "u": "i*", "f": "f*", "c": "c*"}[dtype[0]]


def join(types: Iterable[Typed]) -> Typed:
    """The promotion of several types."""
    given = list(types)
    dtypes = {dtype for dtype, _ in given}
    if not dtypes <= _ABOVE.keys():
        return given[0] if len(set(given)) == 1 else unknown("promotion of extended types")
    all_weak = all(weak for _, weak in given)
    if len(dtypes) == 1:
        return given[0][0], all_weak
    if all_weak:
        found = _least_above(dtypes)
        return _CANONICAL.get(found, _OF_WEAK.get(found, found)), True
    found = _least_above({category(dtype) if weak else dtype for dtype, weak in given})
    if found in _OF_WEAK:
        return _OF_WEAK[found], True
    return _CANONICAL.get(found, found), False


def type_of(value: Any) -> Typed:
    """The type of an operand: an aval, a number, or a list of them."""
    if isinstance(value, Aval):
        return value.dtype, value.weak
    if isinstance(value, Scalar):
        return _CANONICAL.get(value.kind, value.kind), value.kind != "bool"
    if isinstance(value, bool):
        return "bool", False
    if isinstance(value, (int, float, complex)):
        return _CANONICAL[type(value).__name__], True
    if isinstance(value, Dim):
        return "int32", True
    if isinstance(value, (list, tuple)) and value:
        return join(type_of(part) for part in value)
    unknown("operand")


def explicit_type(value: Any) -> str:
    """The type that an argument `dtype=` names."""
    if isinstance(value, DType):
        return _CANONICAL.get(value.name, value.name)
    return _CANONICAL.get(value, value) if isinstance(value, str) else unknown("dtype")
