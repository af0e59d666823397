"""Functions that put arrays together and take them apart, in NumPy and `jax.numpy`."""

from __future__ import annotations

from collections.abc import Sequence

from gotcha_lint.domain import affine
from gotcha_lint.domain.value import (
    INFINITY,
    NO_MARKS,
    UNKNOWN,
    Array,
    Constant,
    Number,
    Size,
    Symbol,
    Tuple,
    Value,
    as_affine,
    fixed,
    only,
    size_from,
)
from gotcha_lint.domain.value import Sequence as SequenceOf
from gotcha_lint.interpret.arrays import (
    ANY_ARRAY,
    Shape,
    as_arrays,
    axes_from,
    first_array,
    promote,
    shape_from,
)
from gotcha_lint.interpret.batches import Batch
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.heap import (
    Contents,
    add_sizes,
    contents,
    deep_marks,
    element_of,
    size_of,
)
from gotcha_lint.interpret.models.array_methods import (
    scaled,
)
from gotcha_lint.interpret.models.array_results import array_of, common_shape, function, with_rows
from gotcha_lint.interpret.own_sizes import is_own


def _axis(call: Call, position: int = 1) -> int | None:
    given = call.get(position, "axis")
    if given is None:
        return 0
    number = given.constant
    return number if isinstance(number, int) else None


@function("concatenate", "concat", "stack", "vstack", "hstack", "dstack", "column_stack")
def joined(call: Call, host: bool) -> Value:
    call.engine.equations += 1
    value = call.args[0] if call.args else call.argument(0, "arrays")
    content = contents(call.engine, value)
    if content is None:
        return array_of(call, host, None, None, value.marks)
    element = element_of(content)
    marks = value.marks | element.marks
    items = content.items if isinstance(content, Tuple) else (content.element,)
    arrays = [array for item in items for array in as_arrays(item) or [ANY_ARRAY]]
    if not arrays:
        return array_of(call, host, None, None, marks)
    dtype, weak = arrays[0].dtype, arrays[0].weak
    for other in arrays[1:]:
        dtype, weak = promote((dtype, weak), (other.dtype, other.weak), host)
    shape = _joined_shape(call, content, arrays)
    out = array_of(call, host, dtype, shape, marks, weak)
    return with_rows(call, out, value, content)


def _joined_shape(call: Call, content: Contents, arrays: Sequence[Array]) -> Shape | None:
    name, axis = call.short, _axis(call)
    if name == "stack":
        shape = common_shape(arrays)
        if shape is None or axis is None or not -len(shape) - 1 <= axis <= len(shape):
            return None
        axis %= len(shape) + 1
        return (*shape[:axis], size_of(content), *shape[axis:])
    ranks = {None if array.shape is None else len(array.shape) for array in arrays}
    if name in ("concatenate", "concat") and len(ranks) > 1:
        ranks.discard(None)  # all have as many axes as those that are known
    rank = ranks.pop() if len(ranks) == 1 else None
    if name == "hstack" and rank is not None:
        axis = 0 if rank == 1 else 1
    elif name == "vstack":
        axis = 0 if rank != 1 else None
    elif name in ("dstack", "column_stack"):
        axis = None
    if not rank or axis is None or not -rank <= axis < rank:
        return None
    axis %= rank
    some = Size(1, INFINITY)  # appending an empty array is not expected
    sizes = [some if array.shape is None else array.shape[axis] for array in arrays]
    total = _total(content, sizes)
    common = common_shape([array for array in arrays if array.shape is not None])
    return None if common is None else (*common[:axis], total, *common[axis + 1 :])


def _total(content: Contents, sizes: Sequence[Size]) -> Size:
    """The size along the axis of a concatenation."""
    if any(mark[0] == "ragged" for size in sizes for mark in size.marks if isinstance(mark, tuple)):
        return Size()  # a filler for a short slice: `concatenate([part, zeros(size - len(part))])`
    if isinstance(content, Tuple) and len(content.items) == len(sizes):
        total = sizes[0]
        for size in sizes[1:]:
            total = add_sizes(total, size)
        return total
    count = size_of(content)
    if count.constant is not None and len(sizes) == 1:
        return scaled(sizes[0], count.constant)
    each = sizes[0].constant
    if each is not None and len(sizes) == 1 and each:
        return scaled(count, each)
    marks = count.marks.union(*(size.marks for size in sizes))
    return Size(0, INFINITY, marks)


@function("append")
def appended(call: Call, host: bool) -> Value:
    call.engine.equations += 1
    a, b = first_array(call.argument(0, "arr")), first_array(call.argument(1, "values"))
    dtype, weak = promote((a.dtype, a.weak), (b.dtype, b.weak), host)
    shape = None
    if a.shape is not None and b.shape is not None and len(a.shape) == 1 >= len(b.shape):
        shape = (add_sizes(a.shape[0], b.shape[0] if b.shape else fixed(1)),)
    return array_of(call, host, dtype, shape, call.marks, weak)


@function("broadcast_to")
def broadcast_to(call: Call, host: bool) -> Value:
    a = first_array(call.argument(0, "array"))
    shape = shape_from(call.engine, call.argument(1, "shape"))
    return array_of(call, host, a.dtype, shape, call.argument(0, "array").marks, a.weak)


@function("tile")
def tile(call: Call, host: bool) -> Value:
    a = first_array(call.argument(0, "A"))
    counts = shape_from(call.engine, call.argument(1, "reps"))
    shape: Shape | None = None
    if a.shape is not None and counts is not None:
        rank = max(len(counts), len(a.shape))
        first = (fixed(1),) * (rank - len(counts)) + counts
        second = (fixed(1),) * (rank - len(a.shape)) + a.shape
        shape = tuple(_times(x, y) for x, y in zip(first, second, strict=True))
    return array_of(call, host, a.dtype, shape, call.argument(0, "A").marks, a.weak)


def _times(a: Size, b: Size) -> Size:
    if a.constant is not None:
        return scaled(b, a.constant) if b.constant is None else fixed(a.constant * b.constant)
    if b.constant is not None:
        return scaled(a, b.constant)
    return Size(0, INFINITY, a.marks | b.marks)


@function("pad")
def pad(call: Call, host: bool) -> Value:
    """`pad(x, ((0, n), ...))`: each size grows by its two widths."""
    call.engine.equations += 1
    value = call.args[0] if call.args else UNKNOWN
    a = first_array(value)
    for mark in deep_marks(call.engine, (call.argument(1, "pad_width"),)):
        if isinstance(mark, tuple) and mark[0] == "ragged":  # it fills up the short batch
            call.engine.handled.add(mark[1])
    shape = _padded(call, a.shape or _shape_of_symbol(call, value))
    return array_of(call, host, a.dtype, shape, value.marks, a.weak)


def _shape_of_symbol(call: Call, value: Value) -> Shape | None:
    """The sizes of what a caller gives: the widths say how many axes it has."""
    symbol, widths = value.only, contents(call.engine, call.argument(1, "pad_width"))
    if not isinstance(symbol, Symbol) or not isinstance(widths, Tuple):
        return None
    sizes: list[Size] = []
    pair = all(isinstance(item.only, (Constant, Number)) for item in widths.items)
    for axis in range(1 if pair else len(widths.items)):  # of one pair, it has one axis as a rule
        step = symbol.step("len") if axis == 0 else symbol.step(".shape")
        step = step.step(f"[{axis}]") if step is not None and axis else step
        sizes.append(Size() if step is None else Size(affine=affine.symbol(step)))
    return tuple(sizes)


def _padded(call: Call, shape: Shape | None) -> Shape | None:
    if shape is None:
        return None
    widths = call.argument(1, "pad_width")
    content = contents(call.engine, widths)
    if content is None:
        number = widths.only
        if not isinstance(number, (Constant, Number)):
            return None
        width = size_from(widths)
        return tuple(_grown(size, width, width) for size in shape)
    if not isinstance(content, Tuple):
        return None
    pairs = [contents(call.engine, item) for item in content.items]
    if len(pairs) == 2 and all(pair is None for pair in pairs):  # the same for all axes
        pairs = [content] * len(shape)
    if len(pairs) != len(shape):
        return None
    out: list[Size] = []
    for size, pair in zip(shape, pairs, strict=True):
        if not isinstance(pair, Tuple) or len(pair.items) != 2:
            return None
        before, after = (size_from(item) for item in pair.items)
        out.append(_grown(size, before, after))
    return tuple(out)


def _grown(size: Size, before: Size, after: Size) -> Size:
    """A width that varies is there to reach a fixed size: `pad(x, (0, length - len(x)))`."""
    if before.marks or after.marks:
        form = affine.add(as_affine(size), affine.add(as_affine(before), as_affine(after)))
        names = form[0] if form is not None else ()
        if names and all(is_own(name) for name, _ in names):  # to the longest of a batch
            marks = before.marks | after.marks
            return Size(0, INFINITY, marks, None, form, None, before.origin or after.origin)
        return Size(origin=size.origin)
    if size.marks and any(map(_is_unknown, (before, after))):
        return Size(origin=size.origin)
    return add_sizes(add_sizes(size, before), after)


def _is_unknown(size: Size) -> bool:
    return size == Size(origin=size.origin)


@function("split", "array_split", "vsplit")
def split(call: Call, host: bool) -> Value:
    """Parts of equal size; `array_split` makes some of them larger by one."""
    call.engine.equations += 1
    value, count = call.argument(0, "ary"), call.argument(1, "indices_or_sections").constant
    a, axis = first_array(value), _axis(call, 2)
    marks = value.marks
    if call.short == "array_split" and axis == 0 and a.shape is None and count != 1:
        part = Symbol(Batch(call.origin), (), call.origin)  # the last ones have a row less
        return only(SequenceOf(only(part), fixed(count) if isinstance(count, int) else Size()))
    if a.shape is None or axis is None or not isinstance(count, int) or count < 1:
        element = array_of(call, host, a.dtype, None, call.marks, a.weak)
        return only(SequenceOf(element, Size()))
    axis %= max(len(a.shape), 1)
    size = _part(a.shape[axis], count, call)
    shape = (*a.shape[:axis], size, *a.shape[axis + 1 :])
    element = array_of(call, host, a.dtype, shape, marks, a.weak)
    return only(SequenceOf(element, fixed(count)))


def _part(size: Size, count: int, call: Call) -> Size:
    whole = size.constant
    if whole is None:
        return Size(0, size.high, size.marks, origin=call.origin)
    if whole % count == 0:
        return fixed(whole // count, call.origin)
    few = frozenset((whole // count, whole // count + 1))
    ragged = (("split", count), None)
    return Size(whole // count, whole // count + 1, NO_MARKS, few, None, ragged, call.origin)


@function("take", "take_along_axis")
def take(call: Call, host: bool) -> Value:
    call.engine.equations += 1
    a, indices = first_array(call.argument(0, "arr")), first_array(call.argument(1, "indices"))
    shape = indices.shape
    if call.short == "take":
        given = call.get(2, "axis")
        if given is not None and a.shape is not None and shape is not None:
            axes = axes_from(call.engine, given, len(a.shape))
            at = min(axes) if axes else None
            shape = None if at is None else (*a.shape[:at], *shape, *a.shape[at + 1 :])
        elif given is not None:
            shape = None
    return array_of(call, host, a.dtype, shape, call.marks, a.weak)
