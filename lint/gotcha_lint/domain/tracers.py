"""Values that JAX traces: arrays, and trees of them, that have no value while a function is traced.

`TRACED` marks what a trace is given, and what is computed of it. It is lost where Python gets a
value after all: a shape, a type, a number of axes, what is unknown. So it under-approximates.
"""

from __future__ import annotations

from gotcha_lint.domain.freshness import marked_deep, without_deep
from gotcha_lint.domain.value import NO_MARKS, Array, Marks, Symbol, Value

TRACED = ("traced", "")
TRACERS: Marks = frozenset((TRACED,))
# What an array has that is an array, too.
OF_ARRAY = frozenset(("T", "mT", "real", "imag", "at"))
# Methods that arrays have, and what a program calls so besides gives arrays, too.
METHODS_OF_ARRAYS = frozenset(
    ("all", "any", "argmax", "argmin", "argsort", "astype", "clip", "cumsum", "flatten", "item",
     "max", "mean", "min", "prod", "ravel", "reshape", "round", "squeeze", "std", "sum", "tolist",
     "transpose", "var", "nonzero")
)  # fmt: skip


def is_array(annotation: str) -> bool:
    """Does an annotation name an array, and nothing else?"""
    word = annotation.strip("'\"").partition("[")[0].rpartition(".")[2]
    return word in ("Array", "ArrayLike", "ndarray", "Float", "Int")


def as_tracer(value: Value) -> Value:
    """As the function gets it that is traced."""
    return marked_deep(value, TRACERS)


def without_tracers(value: Value) -> Value:
    """As the caller gets it from a function that was traced."""
    return without_deep(value, TRACERS)


def traced_in(marks: Marks) -> Marks:
    return TRACERS if TRACED in marks else NO_MARKS


def is_tracer(value: Value) -> bool:
    """Is it surely an array without a value?"""
    return TRACED in value.marks and _are_all(value, symbols=False)


def holds_tracers(value: Value) -> bool:
    """... or a tree of such arrays, of unknown structure: no number, text, or function."""
    return TRACED in value.marks and _are_all(value, symbols=True)


def _are_all(value: Value, symbols: bool) -> bool:
    """Whichever of the alternatives it is."""
    if value.unknown or not value.atoms:
        return False
    return all(
        atom.place == "device" if isinstance(atom, Array) else symbols and isinstance(atom, Symbol)
        for atom in value.atoms
    )
