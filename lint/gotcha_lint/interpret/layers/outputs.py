"""What a layer of a library gives: an array, of the type and shape that its options say.

Must: a layer that is called gives an array. Its type and shape are None where they are not known,
and an axis that a kernel changes is of any size. Source: what the layers of flax 0.12 and equinox
0.13 give under `jax.eval_shape`; a test asks them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.tracers import traced_in
from gotcha_lint.domain.value import (
    NO_MARKS,
    Array,
    Atom,
    Constant,
    Marks,
    Number,
    Size,
    Symbol,
    Value,
    all_marks,
    constant,
    size_from,
)
from gotcha_lint.facts.layers import KEEPING, SHAPES
from gotcha_lint.interpret.arrays import Shape, as_arrays, promote
from gotcha_lint.interpret.layers.eager_loops import GIVES
from gotcha_lint.interpret.machine import Machine

_SCALAR = "scalar"  # a width: Equinox gives no axis at all
_PLAIN = ("float32",)  # parameters, where no type is written
_UNKNOWN = Array(None, False, None)


def shape_of(name: str, width: Value | None, given: Shape | None) -> Shape | None:
    """The shape of what a layer of this class gives for an operand of a shape."""
    kind = SHAPES[name][0] if name in SHAPES else ""
    if kind == "same":
        return given
    if width is not None and width.constant == _SCALAR:
        return ()
    known = width is not None and not width.unknown and all(map(_is_number, width.atoms))
    last = size_from(width) if width is not None and known else Size()
    if kind == "only":
        return (last,)
    if given is None or not kind:
        return None
    if kind == "conv":
        return (given[0], *(Size() for _ in given[1:-1]), last) if len(given) > 1 else None
    return (*(given if kind == "ids" else given[:-1]), last)


def _is_number(atom: Atom) -> bool:
    return isinstance(atom, (Number, Symbol)) or (
        isinstance(atom, Constant) and type(atom.value) is int
    )


def arrays_of(
    name: str,
    width: Value | None,
    params: Iterable[str | None],
    chosen: Iterable[str | None] | None,
    operand: Value,
    origin: Origin,
) -> tuple[Array, ...]:
    """The arrays that a layer may give.

    `params`: the types of its parameters; `chosen`: those it computes in, None where it promotes.
    """
    out: dict[Array, None] = {}
    kind = SHAPES[name][0] if name in SHAPES else ""
    for given in as_arrays(operand) or [_UNKNOWN]:
        types = params if kind == "ids" else (promoted(given.dtype, each) for each in params)
        if name.endswith(".Dropout") or name in KEEPING:
            types = (given.dtype,)
        shape = shape_of(name, width, given.shape)
        for dtype in types if chosen is None else chosen:
            out[Array(dtype, False, shape, "device", origin)] = None
    return tuple(out)


def promoted(a: str | None, b: str | None) -> str | None:
    return promote((a, False), (b, False), False)[0]


def width_of(name: str, args: tuple[Value, ...], options: Mapping[str, Value]) -> Value | None:
    """The argument of a layer's class that says how wide its result is."""
    _, position, word = SHAPES[name]
    return options.get(word, args[position] if 0 <= position < len(args) else None)


def as_giving(name: str, args: tuple[Value, ...], options: Mapping[str, Value]) -> Marks:
    """The mark of a layer that is not followed, as this call of its class makes it.

    A mark lives on where its function ends, so it holds no width that a caller chooses.
    """
    if name not in SHAPES:
        return NO_MARKS
    width = width_of(name, args, options)
    known = None if width is None or width.constant is None else width.constant
    return frozenset(((GIVES, name, known if isinstance(known, (int, str)) else None),))


@lru_cache(maxsize=1024)
def of_no_layer(marks: Marks) -> Marks:
    """The marks of what is made of layers, and is perhaps none."""
    return frozenset(mark for mark in marks if mark[0] != GIVES)


def given_by(
    machine: Machine, callee: Value, args: tuple[Value, ...], out: Value, span: Span
) -> Value:
    """What a layer gives that is not followed. `out`: what an unknown function gives."""
    if callee.atoms or not args:
        return out
    found: dict[Array, None] = {}
    for mark in callee.marks:
        if mark[0] == GIVES:
            _, name, width = mark
            value, at = None if width is None else constant(width), machine.origin(span)
            found |= dict.fromkeys(arrays_of(name, value, _PLAIN, None, args[0], at))
    if not found:
        return out
    return Value(tuple(found), False, out.marks | traced_in(all_marks(args)))
