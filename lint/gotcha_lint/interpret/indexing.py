"""Sizes of slices, and shapes of indexed arrays.

A slice of an array of which nothing else is known, as `x[:i]` of a parameter `x`, is a symbol: the
array, and a step that holds the key and the size of the axis that it cuts. Where the caller's array
is known, the key is used on that one instead.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from dataclasses import replace
from operator import is_
from typing import Any

from gotcha_lint.domain import affine
from gotcha_lint.domain.affine import Affine
from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.value import (
    INFINITY,
    NO_MARKS,
    Array,
    Atom,
    Constant,
    Library,
    Marks,
    Number,
    Size,
    Symbol,
    Tuple,
    Value,
    as_affine,
    fixed,
    join_sizes,
    only,
    size_from,
    value_of,
)
from gotcha_lint.interpret.batches import is_ragged
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.numbers import quotient
from gotcha_lint.interpret.own_sizes import has_own, own_size

Shape = tuple[Size, ...]


def broadcast(a: Shape | None, b: Shape | None) -> Shape | None:
    """The common shape; unknown sizes are taken to agree, as the program needs them to."""
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    first = (fixed(1),) * (rank - len(a)) + a
    second = (fixed(1),) * (rank - len(b)) + b
    return tuple(_common(x, y) for x, y in zip(first, second, strict=True))


def _common(a: Size, b: Size) -> Size:
    if a.constant == 1 or a == b:
        return b
    if b.constant == 1:
        return a
    if a.constant is not None and not (b.marks or b.ragged):
        return a
    if b.constant is not None and not (a.marks or a.ragged):
        return b
    return join_sizes(a, b)


def slice_size(
    machine: Machine, size: Size, low: Value, high: Value, step: Value, span: Span
) -> Size:
    """The size of `x[low:high:step]`, where `x` has this size.

    Exact for constants and for `x[i : i + b]` with `i` of a `range`: its last slice may be shorter.
    """
    origin = machine.origin(span)
    if step.constant not in (None, 1) or (step.constant is None and not step.is_none):
        return _strided(size, low, high, step, origin)
    if low.is_none and high.is_none:
        return size
    if high.is_none:
        return _tail(size, low, origin)
    if low.is_none or low.constant == 0:
        return _head(size, high, origin)
    return _window(machine, size, low, high, origin)


def _strided(size: Size, low: Value, high: Value, step: Value, origin: Origin) -> Size:
    by = step.constant
    if low.is_none and high.is_none and isinstance(by, int) and by:
        if size.constant is not None:
            return fixed(-(-size.constant // abs(by)), origin)
        if abs(by) == 1:
            return size
    marks = size.marks | low.marks | high.marks | step.marks
    return Size(0, size.high, marks, origin=origin)


def _whole(value: Value) -> int | None:
    number = value.constant
    return number if isinstance(number, int) else None


def _tail(size: Size, low: Value, origin: Origin) -> Size:
    """`x[low:]`"""
    start = _whole(low)
    if start is None:
        form = affine.add(as_affine(size), as_affine(low.only), -1)
        return Size(0, size.high, size.marks | low.marks, None, form, None, origin)
    if start < 0:
        if size.constant is not None:
            return fixed(min(-start, size.constant), origin)
        return (
            fixed(-start, origin) if size.low >= -start or not size.marks else _upto(size, -start)
        )
    return _shortened(size, start, origin)


def _shortened(size: Size, by: int, origin: Origin) -> Size:
    if size.constant is not None:
        return fixed(max(size.constant - by, 0), origin)
    few = frozenset(max(n - by, 0) for n in size.few) if size.few else None
    form = affine.add(as_affine(size), affine.constant(-by))
    low, high = max(size.low - by, 0), max(size.high - by, 0)
    return Size(low, high, size.marks, few, form, size.ragged, size.origin or origin)


def _upto(size: Size, most: int) -> Size:
    """Sizes above `most` become `most`."""
    few = frozenset(min(n, most) for n in size.few) if size.few else None
    return Size(min(size.low, most), min(size.high, most), size.marks, few, origin=size.origin)


def _head(size: Size, high: Value, origin: Origin) -> Size:
    """`x[:high]`"""
    end = _whole(high)
    if end is None:
        form = size_from(high, origin)
        return replace(
            form, high=max(form.low, min(form.high, size.high)), origin=form.origin or origin
        )
    if end < 0:
        return _shortened(size, -end, origin)
    if size.constant is not None:
        return fixed(min(end, size.constant), origin)
    cut = _upto(size, end)
    return replace(cut, marks=size.marks if size.low < end else NO_MARKS, origin=origin)


def _from_front(form: Affine | None, given: Value, whole: Affine | None) -> Affine | None:
    number = _whole(given)
    return affine.add(whole, form) if number is not None and number < 0 else form


def _window(machine: Machine, size: Size, low: Value, high: Value, origin: Origin) -> Size:
    """`x[low:high]`"""
    start, end = as_affine(low.only), as_affine(high.only)
    if size.constant is None:  # `x[1:-1]`: the end counts from an unknown one
        whole = as_affine(size)
        start, end = _from_front(start, low, whole), _from_front(end, high, whole)
    length = affine.add(end, start, -1)
    if start is None or end is None or length is None:
        return Size(origin=origin)
    exact = _exact(length, size, low, high, origin)
    for symbol, factor in start[0]:
        steps = machine.ranges.get(symbol)
        if steps is not None and factor >= 1:
            found = _of_range(steps, symbol, factor, end, length, size, exact, origin)
            if found is not None:
                return found
        rest = _of_positions(machine, symbol, factor, length, as_affine(size))
        if rest is not None:
            own = length if length[0] else None
            return Size(0, exact.high, NO_MARKS, None, own, (rest, None), origin)
    return exact


def _of_positions(
    machine: Machine, symbol: Hashable, factor: int, length: Affine, size: Affine | None
) -> Hashable | None:
    """`x[i * b : (i + 1) * b]`, `i` up to `ceil(n / b)`: the range whose last slice is shorter."""
    index, by = symbol, affine.constant(factor)
    if isinstance(symbol, tuple) and symbol[0] == "*" and factor == 1:
        counted = [form[0][0][0] for form in symbol[1:]]
        at = 0 if counted[0] in machine.ranges else 1
        index, by = counted[at], symbol[2 - at]
    first, stop, step = machine.ranges.get(index, (None, None, None))
    if size is None or length != by or first != affine.ZERO or step != affine.constant(1):
        return None
    parts = quotient(affine.scale(size, -1) or size, by)
    return index if stop is not None and affine.scale(parts, -1) == stop else None


def _exact(length: Affine, size: Size, low: Value, high: Value, origin: Origin) -> Size:
    if length[0]:
        return Size(0, INFINITY, high.marks - low.marks, None, length, None, origin)
    count = max(length[1], 0)
    start, end = _whole(low), _whole(high)
    if size.constant is not None and start is not None and end is not None:
        count = len(range(size.constant)[start:end])
    return fixed(count, origin)


def _of_range(
    steps: tuple[Affine | None, Affine | None, Affine | None],
    symbol: Hashable,
    factor: int,
    end: Affine,
    length: Affine,
    size: Size,
    exact: Size,
    origin: Origin,
) -> Size | None:
    """`x[i : i + b]` for `i` in `range(start, stop, b)`: does the last slice reach over the end?"""
    first, stop, step = steps
    if stop is None or step is None:
        return None
    if factor != 1:  # x[i * b : (i + 1) * b]: the positions are 0, b, 2 * b, ...
        first, step = affine.scale(first, factor), affine.scale(step, factor)
        last = affine.scale(affine.add(stop, affine.constant(-1)), factor)
        stop = affine.add(last, affine.constant(1))
    form = as_affine(size)
    ahead = affine.add(
        end, (((symbol, factor),), 0), -1
    )  # of the loop variable, at the slice's end
    if form is None or affine.add(step, length, -1) != affine.ZERO:
        return None
    if stop is None or step is None or ahead is None:
        return None
    known = (first, stop, step, form, ahead)
    if all(affine.is_constant(x) for x in known) and first is not None:
        return _last_of(first[1], stop[1], step[1], ahead[1], form[1], symbol, exact, origin)
    slack = affine.add(affine.add(form, stop, -1), affine.add(affine.constant(1), ahead, -1))
    if slack is not None and not slack[0] and slack[1] >= 0:
        return exact
    if affine.add(form, stop, -1) == affine.ZERO:
        own = length if length[0] else None
        return Size(0, exact.high, NO_MARKS, None, own, (symbol, None), origin)
    return None


def _last_of(
    first: int,
    stop: int,
    step: int,
    ahead: int,
    size: int,
    symbol: Hashable,
    exact: Size,
    origin: Origin,
) -> Size:
    turns = len(range(first, stop, step)) if step else 0
    last = first + (turns - 1) * step
    if last + ahead <= size:
        return exact
    rest = size - last
    whole = exact.constant or 0
    if turns > 1 and 0 < rest < whole:
        few = frozenset((rest, whole))
        return Size(rest, whole, NO_MARKS, few, None, (symbol, turns), origin)
    return exact


def is_slice(value: Value) -> bool:
    atom = value.only
    return isinstance(atom, Tuple) and len(atom.items) == 4 and atom.items[0].constant == "%slice"


def index(machine: Machine, array: Array, base: Value, key: Value, span: Span) -> Array:
    """`array[key]`; the shape is unknown where a part of the key is."""
    machine.equations += 1
    origin = machine.origin(span)
    atom = key.only
    parts = atom.items if isinstance(atom, Tuple) and not is_slice(key) else (key,)
    shape = _indexed(machine, array.shape, parts, base, span)
    return Array(array.dtype, array.weak, shape, array.place, origin)


def _is_number(value: Value) -> bool:
    return bool(value.atoms) and not value.unknown and all(_is_integer(a) for a in value.atoms)


def _is_integer(atom: object) -> bool:
    if isinstance(atom, Array):
        return atom.shape == () and atom.dtype is not None and "int" in atom.dtype
    return isinstance(atom, (Constant, Number)) and atom.type in ("int", "bool")


def _is_ellipsis(value: Value) -> bool:
    atom = value.only
    return isinstance(atom, Library) and atom.name.endswith("Ellipsis")


def _takes(part: Value) -> int:
    """How many dimensions a part of a key consumes."""
    atom = part.only
    if part.is_none or _is_ellipsis(part):
        return 0
    if isinstance(atom, Array) and atom.dtype == "bool" and atom.shape is not None:
        return len(atom.shape)
    return 1


def _indexed(
    machine: Machine, shape: Shape | None, parts: tuple[Value, ...], base: Value, span: Span
) -> Shape | None:
    if shape is None:
        return None
    used = sum(_takes(part) for part in parts)
    out: list[Size] = []
    arrays: Shape | None = None  # the common shape of the index arrays
    place, apart, last = 0, False, -1  # of the index arrays in the result; not side by side
    at = 0
    for position, part in enumerate(parts):
        atom = part.only
        if _is_ellipsis(part):
            count = max(len(shape) - used, 0)
            out += shape[at : at + count]
            at += count
        elif part.is_none:
            out.append(fixed(1))
        elif at >= len(shape):
            return None
        elif is_slice(part) and isinstance(atom, Tuple):
            _, low, high, step = atom.items
            out.append(slice_size(machine, shape[at], low, high, step, span))
            at += 1
        else:
            given = _index_shape(machine, part, base, span)
            if given is None:
                return None
            apart = apart or (arrays is not None and last != position - 1)
            place = len(out) if arrays is None else place
            arrays = given if arrays is None else broadcast(arrays, given)
            last = position
            at += _takes(part)
    if arrays:
        place = 0 if apart else place
        out[place:place] = arrays
    return (*out, *shape[at:])


def _index_shape(machine: Machine, part: Value, base: Value, span: Span) -> Shape | None:
    """The shape that an integer or an array gives as an index."""
    if _is_number(part):
        return ()
    atom = part.only
    if not isinstance(atom, Array) or atom.shape is None or atom.dtype is None:
        return None
    if atom.dtype == "bool":
        return (_selection(machine, part.marks | base.marks, span),)
    return atom.shape


# Slices of arrays that are not known

CUT = "[:]"


def cut_step(machine: Machine, whole: Symbol, key: Value, span: Span) -> Hashable | None:
    """The step of `whole[key]`; None where the key is no slice, or none that varies."""
    atom = key.only
    if isinstance(atom, Array):
        size = _picked(machine, key, span)
        return None if size is None else (CUT, atom, 0, size)
    if not isinstance(atom, Tuple):
        return None
    parts = (key,) if is_slice(key) else atom.items
    if not all(is_slice(part) or part.is_none for part in parts):
        return None
    for axis, part in enumerate(part for part in parts if not part.is_none):
        if not isinstance(part.only, Tuple):
            continue
        low, high, step = part.only.items[1:4]
        if low.marks or high.marks or step.marks:
            form = whole.step("len") if axis == 0 else None
            length = Size(affine=None if form is None else affine.symbol(form))
            return CUT, atom, axis, slice_size(machine, length, low, high, step, span)
    return None


def _picked(machine: Machine, key: Value, span: Span) -> Size | None:
    """How many rows a mask, or an array of indices, picks; None where that does not vary."""
    atom = key.only
    if not isinstance(atom, Array):
        return None
    if atom.dtype == "bool" and atom.shape != ():
        return _selection(machine, key.marks, span) if key.marks else None
    if atom.shape is None or len(atom.shape) != 1:
        return None
    return atom.shape[0] if atom.shape[0].marks else None


def _selection(machine: Machine, marks: Marks, span: Span) -> Size:
    origin = machine.origin(span)
    return Size(0, INFINITY, marks, None, own_size("selection", origin), None, origin)


def picked_rows(machine: Machine, key: Value, span: Span) -> tuple[int, Marks] | None:
    """The axis of an array of unknown shape that an index leaves some rows of, if they vary."""
    atom = key.only
    parts = atom.items if isinstance(atom, Tuple) and not is_slice(key) else (key,)
    for axis, part in enumerate(parts):
        size = _picked(machine, part, span)
        if is_slice(part) and isinstance(part.only, Tuple):
            low, high, step = part.only.items[1:4]
            size = slice_size(machine, Size(), low, high, step, span)
        if size is not None and size.marks and has_own(size):
            return axis, size.marks
    return None


def cut_of(symbol: Symbol) -> tuple[int, Size] | None:
    """The axis that was cut last, and its size."""
    step = symbol.path[-1] if symbol.path else None
    return (step[2], step[3]) if isinstance(step, tuple) and step[0] == CUT else None


def as_short(cut: Value, step: tuple[Any, ...]) -> Value:
    """The slice in the caller: the last one of a range that the callee goes over is shorter."""
    symbol, size = cut.only, step[3]
    known = cut_of(symbol) if isinstance(symbol, Symbol) else None
    if known is None or not isinstance(symbol, Symbol) or not size.ragged or known[1].ragged:
        return cut
    short = Size(0, known[1].high, known[1].marks, None, None, size.ragged, known[1].origin)
    return only(with_size(symbol, short), cut.marks)


def without_rest(value: Value, handled: Collection[Any]) -> Value:
    """What is left of a slice, or a batch, where a test has dealt with the shorter ones.

    Beside what the test has made of these, as `np.concatenate([part, filler])`.
    """
    atoms: list[Atom] = []
    unknown = value.unknown
    for atom in value.atoms:
        whole = _left_of(atom, value, handled)
        unknown = unknown or whole is None
        atoms += [] if whole is None else [whole]
    if not unknown and len(atoms) == len(value.atoms) and all(map(is_, atoms, value.atoms)):
        return value
    return Value(atoms, unknown, value.marks, value.choice)


def _left_of(atom: Atom, value: Value, handled: Collection[Any]) -> Atom | None:
    """One alternative of a value; None where nothing is known of what is left."""
    if isinstance(atom, Tuple) and not is_slice(value):
        return replace(atom, items=tuple(without_rest(item, handled) for item in atom.items))
    if isinstance(atom, Array) and atom.shape is not None:
        return replace(atom, shape=tuple(_whole_size(size, handled) for size in atom.shape))
    if not isinstance(atom, Symbol):
        return atom
    if is_ragged(atom) in handled:
        return None
    cut = cut_of(atom)
    return atom if cut is None else with_size(atom, _whole_size(cut[1], handled))


def cuts_in(value: Value) -> Iterator[Any]:
    """The ranges, and the loaders, of which this is a slice or a batch that may be shorter."""
    for atom in value.atoms:
        sizes: tuple[Size, ...] = ()
        if isinstance(atom, Array):
            sizes = atom.shape or ()
        elif isinstance(atom, Symbol):
            cut, batch = cut_of(atom), is_ragged(atom)
            sizes = () if cut is None else cut[1:]
            yield from () if batch is None else (batch,)
        yield from (size.ragged[0] for size in sizes if size.ragged)


def _whole_size(size: Size, handled: Collection[Any]) -> Size:
    return replace(size, ragged=None) if size.ragged and size.ragged[0] in handled else size


def own_cut(symbol: Symbol) -> int | None:
    """The axis of a buffer that is cut to what its owner says is in it; None for all else."""
    step = symbol.path[-1] if len(symbol.path) > 1 else None
    if not isinstance(step, tuple) or step[0] != CUT or not isinstance(step[1], Tuple):
        return None
    key = Value((step[1],))
    part = key if is_slice(key) else step[1].items[step[2]]
    if not isinstance(part.only, Tuple) or len(part.only.items) != _PARTS:
        return None
    _, low, high, _ = part.only.items
    end = high.only
    if not low.is_none or not isinstance(end, Symbol) or not end.path:
        return None
    own = (end.root, end.path[:-1]) == (symbol.root, symbol.path[:-2])
    named = str(end.path[-1]).endswith(("size", "length", "count"))
    return step[2] if own and named else None


_PARTS = 4  # of a slice: its word, and three bounds


def length_of_cut(shape: Value, key: Value) -> Value | None:
    """`x[:i].shape[0]`; None for all else."""
    atom = shape.only
    if not isinstance(atom, Symbol) or atom.path[-1:] != (".shape",) or key.constant != 0:
        return None
    cut = cut_of(Symbol(atom.root, atom.path[:-1]))
    return value_of(cut[1]) if cut is not None and cut[0] == 0 else None


def with_size(symbol: Symbol, size: Size) -> Symbol:
    """The same slice, for a caller that does not know the array but the bounds."""
    *path, step = symbol.path
    return Symbol(symbol.root, (*path, (*step[:3], size)), symbol.origin)


def is_cut(value: Value) -> bool:
    """Is it such a slice? Conversions leave it what it is."""
    atom = value.only
    return isinstance(atom, Symbol) and cut_of(atom) is not None
