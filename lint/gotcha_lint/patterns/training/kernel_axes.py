"""Convolutions of Flax along one axis, among windows of two (floor `patterns`).

In Flax a whole number as `kernel_size` is a window of one axis: the convolution slides along the
last axis before the channels, and takes the others for batches. In PyTorch it is a square.
Must, where the class says elsewhere that its windows have more axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.layer_arguments import POSITIONAL
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.reader import NamedReader

CONVOLUTIONS = frozenset(
    f"flax.{library}.{name}" for library in ("linen", "nnx") for name in ("Conv", "ConvTranspose")
)
KERNEL = "kernel_size"
_POOLS = frozenset(
    f"flax.{library}.{name}_pool" for library in ("linen", "nnx") for name in ("avg", "max", "min")
)
_WINDOW, _POOL_PLACE = "window_shape", 1
_PARTIAL = "functools.partial"


@dataclass(frozen=True)
class OneAxis:
    """`layer`: in short; `number`: its kernel; `other`: the window of several axes."""

    span: Span
    layer: str
    number: int
    other: Span
    axes: int


def kernels_of_one_axis(module: Module, function: Function) -> Iterator[OneAxis]:
    """Those of one function whose class, or who itself, has windows of more axes elsewhere."""
    if "Conv" not in names_used(function) and "ConvTranspose" not in names_used(function):
        return
    reader = NamedReader(module, function)
    numbers = [
        (i, value)
        for i in steps_of(function)
        if i[0] == "call"
        and reader.dotted(i[2]) in CONVOLUTIONS
        and type(value := _constant(reader, _kernel(reader, i))) is int
        and value > 1  # of one, it is the same
    ]
    if not numbers:
        return
    body = function.parent
    around = [
        f for f in module.functions if body is not None and body.is_class and f.parent is body
    ]
    windows = [found for f in around or [function] for found in _windows(NamedReader(module, f))]
    for call, number in numbers[: len(numbers) if windows else 0]:
        other, axes = windows[0]
        layer = ".".join(reader.dotted(call[2]).split(".")[-2:])
        yield OneAxis(call[-1], layer, number, other, axes)


def _windows(reader: NamedReader) -> Iterator[tuple[Span, int]]:
    """The displays of two or more that a layer or a pool of this function is given as a window."""
    for i in steps_of(reader.function):
        if i[0] != "call":
            continue
        name = reader.dotted(i[2])
        register = None
        if name in CONVOLUTIONS:
            register = _kernel(reader, i)
        elif name in _POOLS:
            register = _argument(i, _POOL_PLACE, _WINDOW)
        elif name == _PARTIAL and i[3] and reader.dotted(i[3][0][1]) in _POOLS:
            register = dict(i[4]).get(_WINDOW)
        made = reader.made(register) if register is not None else None
        if made is not None and made[0] == "build" and len(made[3]) > 1:
            yield i[-1], len(made[3])


def _kernel(reader: NamedReader, call: Instruction) -> Register | None:
    return _argument(call, POSITIONAL[reader.dotted(call[2])].index(KERNEL), KERNEL)


def _argument(call: Instruction, place: int, name: str) -> Register | None:
    options = dict(call[4])
    if name in options or any(star for star, _ in call[3]):
        return options.get(name)
    return call[3][place][1] if place < len(call[3]) else None


def _constant(reader: NamedReader, register: Register | None) -> object:
    made = reader.made(register) if register is not None else None
    return made[2] if made is not None and made[0] == "const" else None
