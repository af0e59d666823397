"""einops: `rearrange`, `repeat` and `einsum` keep the type; their sizes are not read."""

from __future__ import annotations

from gotcha_lint.domain.value import Array, Value
from gotcha_lint.facts.halves import HALVES
from gotcha_lint.interpret.arrays import as_arrays, elementwise
from gotcha_lint.interpret.call import Call, model


@model("einops.rearrange", "einops.repeat", "einops.reduce")
def rearranged(call: Call) -> Value:
    """A mean of an array of half precision has half precision, too."""
    return _without_sizes(call, call.argument(0, "tensor"))


@model("einops.einsum")
def product(call: Call) -> Value:
    """`einsum(x, y, "b i, b j -> b i j")`"""
    operands = call.args[:-1]
    if not operands or any(as_arrays(value) is None for value in operands):
        return Value((), True, call.marks)
    return _without_sizes(call, elementwise(call.engine, operands, call.span, None))


def _without_sizes(call: Call, value: Value) -> Value:
    """Something unknown, unless it may have half precision: only this is asked for."""
    arrays = [atom for atom in value.atoms if isinstance(atom, Array)]
    if value.unknown or len(arrays) < len(value.atoms):
        return Value((), True, call.marks)
    if HALVES.isdisjoint(array.dtype for array in arrays):
        return Value((), True, call.marks)
    atoms = [Array(a.dtype, False, None, a.place, call.origin) for a in arrays]
    return Value(atoms, False, call.marks, value.choice)
