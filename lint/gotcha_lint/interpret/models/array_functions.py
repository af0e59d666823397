"""Functions that NumPy and `jax.numpy` share: what they give, written by hand.

For `jax.numpy` the generated table (`facts.avals`) is asked first. `host` says that the result is
an array of NumPy, with its wide types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

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
    constant,
    fixed,
    join_all,
    join_sizes,
    only,
    size_from,
)
from gotcha_lint.domain.value import Sequence as SequenceOf
from gotcha_lint.interpret.arrays import (
    ANY_ARRAY,
    SIZES,
    Shape,
    as_arrays,
    axes_from,
    canonical_dtype,
    dtype_of,
    dtypes_of,
    elementwise,
    first_array,
    matmul,
    of_each_dtype,
    promote,
    reduce,
    shape_from,
)
from gotcha_lint.interpret.batches import Batch, batch_of
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.containers.growing import only_grows
from gotcha_lint.interpret.elements import bounded, elements_of, with_elements
from gotcha_lint.interpret.heap import Contents, add_sizes, contents, element_of, size_of
from gotcha_lint.interpret.indexing import is_cut
from gotcha_lint.interpret.models.array_methods import (
    REDUCTIONS,
    SHAPES,
    accumulated,
    is_true,
    scaled,
    shape_function,
    with_dtype,
)
from gotcha_lint.interpret.models.array_names import (
    COMPARISONS,
    INEXACT,
    ONE_ARRAY,
    SAME,
    TWO,
)
from gotcha_lint.interpret.own_sizes import has_own, is_own, of_rows, rows_of
from gotcha_lint.interpret.promotion import WIDE

ArrayFunction = Callable[[Call, bool], Value]
FUNCTIONS: dict[str, ArrayFunction] = {}


def function(*names: str) -> Callable[[ArrayFunction], ArrayFunction]:
    """Registers the model of functions that have these names in NumPy and `jax.numpy`."""

    def register(of: ArrayFunction) -> ArrayFunction:
        for name in names:
            FUNCTIONS[name] = of
        return of

    return register


_KEEP_ROWS = frozenset(
    ("transpose", "abs", "clip", "exp", "log", "log1p", "sqrt", "square", "tanh")
)


def array_call(call: Call, host: bool) -> Value:
    """The result of a function of NumPy or `jax.numpy`; an array of which nothing is known else."""
    if call.short in _KEEP_ROWS and call.args and is_cut(call.args[0]):
        return call.args[0]
    of = FUNCTIONS.get(call.short)
    if of is not None:
        return of(call, host)
    call.engine.equations += 1
    return _array(call, host, None, None, call.marks)


def _array(
    call: Call,
    host: bool,
    dtype: str | None,
    shape: Shape | None,
    marks: frozenset[object] = NO_MARKS,
    weak: bool = False,
) -> Value:
    place = "host" if host else "device"
    return only(
        Array(canonical_dtype(dtype, host), weak and not host, shape, place, call.origin), marks
    )


def _default(kind: str, host: bool) -> str:
    return WIDE[kind] if host else kind


# Made of numbers


@function(*(name for name in SIZES if name != "key"), "bool_")
def scalar(call: Call, host: bool) -> Value:
    """`jnp.float32(x)`"""
    value = call.args[0] if call.args else constant(0)
    dtype = "bool" if call.short == "bool_" else call.short
    shapes = [array.shape for array in as_arrays(value) or [Array(None, False, None)]]
    return join_all(_array(call, host, dtype, shape, value.marks) for shape in shapes)


@function("zeros", "ones", "empty")
def filled(call: Call, host: bool) -> Value:
    given = call.get(1, "dtype")
    absent = given is None or given.is_none
    dtypes = (_default("float32", host),) if absent else dtypes_of(given)
    shape = shape_from(call.engine, call.argument(0, "shape"))
    return of_each_dtype(join_all(_array(call, host, each, shape) for each in dtypes), given)


@function("full")
def full(call: Call, host: bool) -> Value:
    fill, given = call.argument(1, "fill_value"), call.get(2, "dtype")
    array, absent = first_array(fill), given is None or given.is_none
    dtype = array.dtype if absent else dtype_of(given)
    if absent and array.place == "python" and dtype is not None:
        dtype = _default(dtype, host) if dtype in WIDE else dtype
    shape = shape_from(call.engine, call.argument(0, "shape"))
    return _array(call, host, dtype, shape, fill.marks, array.weak and absent)


@function("zeros_like", "ones_like", "full_like", "empty_like")
def like(call: Call, host: bool) -> Value:
    value = call.args[0] if call.args else UNKNOWN
    given = call.get(2 if call.short == "full_like" else 1, "dtype")
    absent = given is None or given.is_none
    shape = call.keyword("shape")
    out: list[Value] = []
    for array in as_arrays(value) or [Array(None, False, None)]:
        dtype = array.dtype if absent else dtype_of(given)
        sizes = array.shape if shape is None else shape_from(call.engine, shape)
        out.append(_array(call, host, dtype, sizes, NO_MARKS, array.weak and absent))
    return join_all(out)


@function("array", "asarray", "copy", "ascontiguousarray", "asanyarray")
def array(call: Call, host: bool) -> Value:
    """`array(x)`: of an array, a number, or nested lists of them."""
    value = call.get(0, "object") or call.argument(0, "a")
    if batch_of(value) is not None or is_cut(value):
        return value
    given = call.get(1, "dtype")
    absent = given is None or given.is_none
    out: list[Value] = []
    for atom in value.atoms:
        found = _as_array(call, only(atom, value.marks), host, 0)
        weak = found.weak and absent and found.shape == ()
        for dtype in (found.dtype,) if absent else dtypes_of(given):
            out.append(_array(call, host, dtype, found.shape, value.marks, weak))
    if value.unknown or not out:
        for dtype in (None,) if absent else dtypes_of(given):
            out.append(_array(call, host, dtype, None, value.marks))
    found = of_each_dtype(join_all(out), given)
    content = contents(call.engine, value)
    if content is not None:
        found = bounded(found, element_of(content))
        return _with_rows(call, found, value, content)
    return with_elements(found, elements_of(value))


def _as_array(call: Call, value: Value, host: bool, depth: int) -> Array:
    """What `array` makes of a value: its dtype, weak type and shape."""
    arrays = as_arrays(value)
    if arrays is not None:
        first = arrays[0]
        if first.place == "python" and host and first.dtype in WIDE:
            first = replace(first, dtype=WIDE[first.dtype])
        same = all(other.shape == first.shape for other in arrays)
        return first if same else replace(first, shape=None)
    content = contents(call.engine, value)
    if content is None or depth > 4:
        return Array(None, False, None)
    items = content.items if isinstance(content, Tuple) else (content.element,)
    if not items:
        return Array(_default("float32", host), False, (fixed(0),))
    inner = [_as_array(call, item, host, depth + 1) for item in items]
    dtype, weak = inner[0].dtype, inner[0].weak
    for other in inner[1:]:
        dtype, weak = promote((dtype, weak), (other.dtype, other.weak), host)
    shape, size = _common_shape(inner), size_of(content)
    if has_own(size):  # `[0] * longest`: the list says of what its length follows
        size = replace(size, marks=size.marks | value.marks)
    return Array(dtype, weak, None if shape is None else (size, *shape))


def _common_shape(arrays: Sequence[Array]) -> Shape | None:
    """The shape of arrays that are stacked: it must be the same."""
    shape = arrays[0].shape
    for other in arrays[1:]:
        if shape is None or other.shape is None or len(other.shape) != len(shape):
            return None
        shape = tuple(join_sizes(a, b) for a, b in zip(shape, other.shape, strict=True))
    return shape


@function("arange")
def arange(call: Call, host: bool) -> Value:
    args = call.args
    size = _length_of_range(call) if args else Size()
    dtype = dtype_of(call.get(3, "dtype"))
    arrays = [first_array(value) for value in args[:3]]
    if dtype is None and arrays and all(array.dtype is not None for array in arrays):
        floating = any("float" in (array.dtype or "") for array in arrays)
        dtype = _default("float32" if floating else "int32", host)
    return _array(call, host, dtype, (size,))


def _length_of_range(call: Call) -> Size:
    args = call.args
    numbers = [value.constant for value in args[:3]]
    if all(isinstance(n, int) for n in numbers) and 0 not in numbers[2:]:
        return fixed(len(range(*numbers)), call.origin)
    if len(args) == 1:
        kinds = {atom.type for atom in args[0].atoms if isinstance(atom, (Constant, Number))}
        if "float" not in kinds:
            return size_from(args[0], call.origin)
    marks = NO_MARKS.union(*(value.marks for value in args))
    if len(args) == 2:  # `arange(start, start + n)` has n elements, whatever the start
        low, high = (as_affine(value.only) for value in args)
        length = affine.add(high, low, -1)
        varying = any(name in call.engine.ranges for name, _ in length[0]) if length else False
        return Size(0, INFINITY, marks if varying else NO_MARKS, None, length, None, call.origin)
    return Size(0, INFINITY, marks, origin=call.origin)


@function("linspace", "geomspace", "logspace")
def linspace(call: Call, host: bool) -> Value:
    given = call.get(2, "num")
    size = fixed(50) if given is None else size_from(given)
    ends = [first_array(call.argument(i, name)).shape for i, name in enumerate(("start", "stop"))]
    shape = (size,) if ends == [(), ()] else None
    dtype = dtype_of(call.keyword("dtype")) or _default("float32", host)
    return _array(call, host, dtype, shape, call.marks)


@function("eye", "identity")
def eye(call: Call, host: bool) -> Value:
    rows = size_from(call.argument(0, "N"))
    other = call.get(1, "M") if call.short == "eye" else None
    columns = rows if other is None or other.is_none else size_from(other)
    dtype = dtype_of(call.keyword("dtype")) or _default("float32", host)
    return _array(call, host, dtype, (rows, columns))


# Of each element


@function(*INEXACT)
def inexact(call: Call, host: bool) -> Value:
    count = 2 if call.short in TWO else 1
    return elementwise(call.engine, call.args[:count], call.span, host, "inexact")


@function(*SAME)
def same(call: Call, host: bool) -> Value:
    count = 1 if call.short in ONE_ARRAY else 2
    dtype = "inexact" if call.short in TWO else None
    found = elementwise(call.engine, call.args[:count], call.span, host, dtype)
    return with_dtype(found, call.keyword("dtype"), host)


@function(*COMPARISONS)
def comparison(call: Call, host: bool) -> Value:
    return elementwise(call.engine, call.args[:2], call.span, host, "bool")


@function("issubdtype", "isdtype", "can_cast", "isscalar", "iscomplexobj", "isrealobj")
def asks_for_a_type(call: Call, host: bool) -> Value:
    """A bool of Python: types are known where JAX traces."""
    return only(Number("bool", 0, 1, None, call.origin))


@function("clip")
def clip(call: Call, host: bool) -> Value:
    values = [value for value in call.args[:3] if not value.is_none]
    return elementwise(call.engine, values, call.span, host)


@function("divide", "true_divide")
def divide(call: Call, host: bool) -> Value:
    return elementwise(call.engine, call.args[:2], call.span, host, divide=True)


@function("where")
def where(call: Call, host: bool) -> Value:
    """`where(condition, x, y)`; with the condition alone the size depends on the data."""
    if len(call.args) < 3:
        return nonzero(call, host)
    condition, *values = call.args[:3]
    result = elementwise(call.engine, values, call.span, host)
    shape = elementwise(call.engine, call.args[:3], call.span, host)
    of, found = result.only, shape.only
    if isinstance(of, Array) and isinstance(found, Array):
        return only(replace(of, shape=found.shape), result.marks | condition.marks)
    return result.marked(condition.marks)


# Over axes


@function(*REDUCTIONS)
def reduction(call: Call, host: bool) -> Value:
    value = call.args[0] if call.args else call.argument(0, "a")
    keep = is_true(call.keyword("keepdims"))
    axis = call.get(2 if call.short == "norm" else 1, "axis")
    how = REDUCTIONS[call.short]
    found = reduce(call.engine, value, axis, keep, call.span, host, how)
    return with_dtype(found, call.keyword("dtype"), host)


@function("cumsum", "cumprod")
def accumulated_over(call: Call, host: bool) -> Value:
    call.engine.equations += 1
    value, axis = call.argument(0, "a"), call.get(1, "axis")
    arrays = as_arrays(value) or [Array(None, False, None)]
    found = join_all(accumulated(call, array, axis, host) for array in arrays)
    return found.marked(value.marks)


@function("argsort")
def argsort(call: Call, host: bool) -> Value:
    call.engine.equations += 1
    shape = first_array(call.argument(0, "a")).shape
    return _array(call, host, _default("int32", host), shape, call.marks)


# Products


@function("matmul", "dot")
def product_of(call: Call, host: bool) -> Value:
    if len(call.args) < 2:
        return _array(call, host, None, None, call.marks)
    return matmul(call.engine, call.args[0], call.args[1], call.span)


@function("outer")
def outer(call: Call, host: bool) -> Value:
    call.engine.equations += 1
    a, b = first_array(call.argument(0, "a")), first_array(call.argument(1, "b"))
    dtype, weak = promote((a.dtype, a.weak), (b.dtype, b.weak), host)
    known = a.shape and b.shape and len(a.shape) == len(b.shape) == 1
    shape = (*(a.shape or ()), *(b.shape or ())) if known else None
    return _array(call, host, dtype, shape, call.marks, weak)


@function("einsum")
def einsum(call: Call, host: bool) -> Value:
    """`einsum("bnd,hd->bnh", x, y)`: sizes by their letters."""
    call.engine.equations += 1
    text = call.args[0].constant if call.args else None
    arrays = [first_array(value) for value in call.args[1:]]
    dtype, weak = (arrays[0].dtype, arrays[0].weak) if arrays else (None, False)
    for other in arrays[1:]:
        dtype, weak = promote((dtype, weak), (other.dtype, other.weak), host)
    shape = _einsum_shape(text, arrays) if isinstance(text, str) else None
    return _array(call, host, dtype, shape, call.marks, weak)


def _einsum_shape(text: str, arrays: Sequence[Array]) -> Shape | None:
    given, arrow, result = text.replace(" ", "").partition("->")
    terms = given.split(",")
    if "." in text or len(terms) != len(arrays):
        return None
    sizes: dict[str, Size] = {}
    for term, array in zip(terms, arrays, strict=True):
        if array.shape is None or len(array.shape) != len(term):
            return None
        for letter, size in zip(term, array.shape, strict=True):
            if letter not in sizes or sizes[letter].constant is None:
                sizes[letter] = size
    if not arrow:
        result = "".join(x for x in sorted(sizes) if given.count(x) == 1)
    return tuple(sizes[letter] for letter in result) if set(result) <= set(sizes) else None


# Put together and taken apart


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
        return _array(call, host, None, None, value.marks)
    element = element_of(content)
    marks = value.marks | element.marks
    items = content.items if isinstance(content, Tuple) else (content.element,)
    arrays = [array for item in items for array in as_arrays(item) or [ANY_ARRAY]]
    if not arrays:
        return _array(call, host, None, None, marks)
    dtype, weak = arrays[0].dtype, arrays[0].weak
    for other in arrays[1:]:
        dtype, weak = promote((dtype, weak), (other.dtype, other.weak), host)
    shape = _joined_shape(call, content, arrays)
    out = _array(call, host, dtype, shape, marks, weak)
    return _with_rows(call, out, value, content)


def _with_rows(call: Call, out: Value, value: Value, content: Contents) -> Value:
    """Of a list that grows, or of rows that are as long as the longest of them."""
    grown = only_grows(call.engine, value)
    if grown is not None:
        return of_rows(out, "history", 0, grown)
    element = element_of(content)
    inner = contents(call.engine, element)
    if isinstance(inner, SequenceOf) and has_own(inner.size):
        marks = inner.size.marks | element.marks | value.marks
        return of_rows(out, "longest", 1, replace(inner.size, marks=marks))
    if isinstance(content, SequenceOf) and has_own(content.size):
        marks = content.size.marks | value.marks
        return of_rows(out, "longest", 0, replace(content.size, marks=marks))
    if call.short == "stack" and isinstance(row := element.only, Array):
        rows = rows_of(row, element.marks | value.marks)
        if rows is not None:
            return of_rows(out, "longest", rows[0] + 1, rows[1])
    return out


def _joined_shape(call: Call, content: Contents, arrays: Sequence[Array]) -> Shape | None:
    name, axis = call.short, _axis(call)
    if name == "stack":
        shape = _common_shape(arrays)
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
    some = Size(1, INFINITY)  # nobody appends an empty array
    sizes = [some if array.shape is None else array.shape[axis] for array in arrays]
    total = _total(content, sizes)
    common = _common_shape([array for array in arrays if array.shape is not None])
    return None if common is None else (*common[:axis], total, *common[axis + 1 :])


def _total(content: Contents, sizes: Sequence[Size]) -> Size:
    """The size along the axis of a concatenation."""
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
    return _array(call, host, dtype, shape, call.marks, weak)


@function("broadcast_to")
def broadcast_to(call: Call, host: bool) -> Value:
    a = first_array(call.argument(0, "array"))
    shape = shape_from(call.engine, call.argument(1, "shape"))
    return _array(call, host, a.dtype, shape, call.argument(0, "array").marks, a.weak)


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
    return _array(call, host, a.dtype, shape, call.argument(0, "A").marks, a.weak)


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
    shape = _padded(call, a.shape or _shape_of_symbol(call, value))
    return _array(call, host, a.dtype, shape, value.marks, a.weak)


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
    return add_sizes(add_sizes(size, before), after)


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
        element = _array(call, host, a.dtype, None, call.marks, a.weak)
        return only(SequenceOf(element, Size()))
    axis %= max(len(a.shape), 1)
    size = _part(a.shape[axis], count, call)
    shape = (*a.shape[:axis], size, *a.shape[axis + 1 :])
    element = _array(call, host, a.dtype, shape, marks, a.weak)
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
    return _array(call, host, a.dtype, shape, call.marks, a.weak)


@function("one_hot")
def one_hot(call: Call, host: bool) -> Value:
    call.engine.equations += 1
    shape, classes = first_array(call.argument(0, "x")).shape, call.argument(1, "num_classes")
    shape = None if shape is None else (*shape, size_from(classes))
    dtype = dtype_of(call.keyword("dtype")) or _default("float32", host)
    return _array(call, host, dtype, shape, call.argument(0, "x").marks)


# Whose size depends on the data


@function("unique", "nonzero", "flatnonzero", "argwhere", "setdiff1d", "union1d", "intersect1d")
def nonzero(call: Call, host: bool) -> Value:
    """The size differs with the data, unless `size=` is given."""
    call.engine.equations += 1
    given = call.keyword("size")
    first = first_array(call.args[0]) if call.args else Array(None, False, None)
    size = Size(0, INFINITY, call.marks, origin=call.origin)
    if given is not None and not given.is_none:
        size = size_from(given, call.origin)
    names = ("nonzero", "flatnonzero", "argwhere", "where")
    dtype = _default("int32", host) if call.short in names else first.dtype
    found = _array(call, host, dtype, (size,), call.marks)
    if call.short in ("nonzero", "where"):
        count = len(first.shape) if first.shape is not None else None
        if count is None:
            return only(SequenceOf(found, Size()))
        return only(Tuple((found,) * count, call.origin))
    return found if call.short != "argwhere" else _array(call, host, dtype, None, call.marks)


@function(*SHAPES)
def shape_only(call: Call, host: bool) -> Value:
    return shape_function(call, "host" if host else "device")


@function("shape")
def shape_of(call: Call, host: bool) -> Value:
    return call.engine.attribute(call.argument(0, "a"), "shape", call.span)


@function("ndim", "size")
def count_of(call: Call, host: bool) -> Value:
    return call.engine.attribute(call.argument(0, "a"), call.short, call.span)


@function("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "hfft")
def transform(call: Call, host: bool) -> Value:
    """Fourier transforms along the last axis; with other options the shape is not known."""
    call.engine.equations += 1
    value, name = call.argument(0, "a"), call.short
    a = first_array(value)
    plain = len(call.args) == 1 and not call.keywords
    shape = a.shape if plain and a.shape else None
    if shape is not None and "rfft" in name:
        last = shape[-1].constant
        count = None if last is None else (last - 1) * 2 if name == "irfft" else last // 2 + 1
        size = Size(0, INFINITY, shape[-1].marks) if count is None else fixed(count)
        shape = (*shape[:-1], size)
    real = name in ("irfft", "hfft")
    return _array(call, host, _default("float32" if real else "complex64", host), shape, call.marks)
