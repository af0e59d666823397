"""What `vmap` cannot map over together: other numbers of arguments, axes or sizes (must)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gotcha_lint.domain.value import Array, Tuple, Value
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.models.mapped_trees import parts_of

VMAP = "vmap"
_DEPTH = 4  # of trees in trees


def check_axes(call: Call, axes: Value | None, needed: float) -> None:
    """`vmap(f, in_axes=(0, None))(x)`: an entry for each positional argument.

    A function that nobody here calls has fewer arguments than it needs.
    """
    content = contents(call.engine, axes) if axes is not None else None
    machine = call.engine
    if not isinstance(content, Tuple) or machine.trying or machine.is_starred(call.span):
        return
    wanted, given = len(content.items), len(call.args)
    if given and (given > wanted or needed <= given < wanted):
        entries = "1 entry" if wanted == 1 else f"{wanted} entries"
        arguments = "1 argument" if given == 1 else f"{given} arguments"
        text = f"`in_axes` has {entries} for {arguments}"
        places = () if content.origin is None else ((*content.origin, "`in_axes`"),)
        remark(machine, "refused", call.span, VMAP, text, places=places)


def check_sizes(call: Call, chosen: Sequence[int | None]) -> None:
    """`chosen`: the axis of each argument; None where nothing is mapped, or it is not known."""
    machine = call.engine
    if machine.trying or machine.is_starred(call.span):
        return
    known: dict[int, Array] = {}
    for value, axis in zip(call.args, chosen, strict=True):
        for array in _leaves(call, value, 0) if axis is not None else ():
            shape = array.shape or ()
            if axis is not None and 0 <= axis < len(shape):
                size = shape[axis].constant
                if size is not None:
                    known.setdefault(size, array)
    if len(known) > 1:
        sizes = " and ".join(map(str, sorted(known)))
        places = tuple(
            (*array.origin, f"an axis of size {size}")
            for size, array in sorted(known.items())
            if array.origin is not None
        )
        text = f"the axes that it maps over have {sizes} elements"
        remark(machine, "refused", call.span, VMAP, text, places=places)


def _leaves(call: Call, value: Value, depth: int) -> Iterator[Array]:
    """The arrays in a tree, where each is known."""
    atom = value.only if depth <= _DEPTH and not value.unknown else None
    if isinstance(atom, Array):
        yield atom
    elif atom is not None:
        for part in parts_of(call.engine, atom):
            yield from _leaves(call, part, depth + 1)
