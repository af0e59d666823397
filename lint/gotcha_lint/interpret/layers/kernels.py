"""Convolutions of Flax along one axis of an array that has two, by the shape of the array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gotcha_lint.interpret.arrays import as_arrays
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.faults.remarks import remark

ONE_AXIS = "kernel of one axis"
_CONVOLUTIONS = frozenset(("Conv", "ConvTranspose"))
_KERNEL, _PLACE = "kernel_size", 1
_AXES = 4  # batch, height, width, channels


def check_kernel(call: Call, info: Mapping[str, Any], place: int = 0) -> None:
    """`nn.Conv(8, kernel_size=3)(images)`. Must: all arrays that it may be given have four axes.

    `place`: of the array among the arguments, behind what `init` and `apply` take first.
    """
    if info["name"] not in _CONVOLUTIONS or info["args"][_PLACE + 1 :]:
        return
    kernel = info["options"].get(_KERNEL) or next(iter(info["args"][_PLACE:]), None)
    number = None if kernel is None else kernel.constant
    if type(number) is not int or number <= 1:  # of one, it is the same
        return
    arrays = as_arrays(call.argument(place, "inputs"))
    if arrays and all(a.shape is not None and len(a.shape) == _AXES for a in arrays):
        machine = call.engine
        where = getattr(call.on, "origin", None)
        places = ((machine.path, call.span, "given an array of four axes here"),)
        text = f"nn.{info['name']}", str(number)
        remark(machine, ONE_AXIS, call.span, *text, places=places, at=where)
