"""Functions that make arrays of numbers, of lists and of shapes, in NumPy and `jax.numpy`."""

from __future__ import annotations

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
    Tuple,
    Value,
    as_affine,
    constant,
    fixed,
    join_all,
    only,
    size_from,
)
from gotcha_lint.interpret.arrays import (
    SIZES,
    as_arrays,
    dtype_of,
    dtypes_of,
    first_array,
    of_each_dtype,
    promote,
    shape_from,
)
from gotcha_lint.interpret.batches import batch_of
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.elements import bounded, elements_of, with_elements
from gotcha_lint.interpret.heap import contents, element_of, size_of
from gotcha_lint.interpret.indexing import is_cut
from gotcha_lint.interpret.models.array_results import (
    array_of,
    common_shape,
    default_dtype,
    function,
    with_rows,
)
from gotcha_lint.interpret.own_sizes import has_own
from gotcha_lint.interpret.promotion import WIDE


@function(*(name for name in SIZES if name != "key"), "bool_")
def scalar(call: Call, host: bool) -> Value:
    """`jnp.float32(x)`"""
    value = call.args[0] if call.args else constant(0)
    dtype = "bool" if call.short == "bool_" else call.short
    shapes = [array.shape for array in as_arrays(value) or [Array(None, False, None)]]
    return join_all(array_of(call, host, dtype, shape, value.marks) for shape in shapes)


@function("zeros", "ones", "empty")
def filled(call: Call, host: bool) -> Value:
    given = call.get(1, "dtype")
    absent = given is None or given.is_none
    dtypes = (default_dtype("float32", host),) if absent else dtypes_of(given)
    shape = shape_from(call.engine, call.argument(0, "shape"))
    return of_each_dtype(join_all(array_of(call, host, each, shape) for each in dtypes), given)


@function("full")
def full(call: Call, host: bool) -> Value:
    fill, given = call.argument(1, "fill_value"), call.get(2, "dtype")
    array, absent = first_array(fill), given is None or given.is_none
    dtype = array.dtype if absent else dtype_of(given)
    if absent and array.place == "python" and dtype is not None:
        dtype = default_dtype(dtype, host) if dtype in WIDE else dtype
    shape = shape_from(call.engine, call.argument(0, "shape"))
    return array_of(call, host, dtype, shape, fill.marks, array.weak and absent)


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
        out.append(array_of(call, host, dtype, sizes, NO_MARKS, array.weak and absent))
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
            out.append(array_of(call, host, dtype, found.shape, value.marks, weak))
    if value.unknown or not out:
        for dtype in (None,) if absent else dtypes_of(given):
            out.append(array_of(call, host, dtype, None, value.marks))
    found = of_each_dtype(join_all(out), given)
    content = contents(call.engine, value)
    if content is not None:
        found = bounded(found, element_of(content))
        return with_rows(call, found, value, content)
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
        return Array(default_dtype("float32", host), False, (fixed(0),))
    inner = [_as_array(call, item, host, depth + 1) for item in items]
    dtype, weak = inner[0].dtype, inner[0].weak
    for other in inner[1:]:
        dtype, weak = promote((dtype, weak), (other.dtype, other.weak), host)
    shape, size = common_shape(inner), size_of(content)
    if has_own(size):  # `[0] * longest`: the list says of what its length follows
        size = replace(size, marks=size.marks | value.marks)
    return Array(dtype, weak, None if shape is None else (size, *shape))


@function("arange")
def arange(call: Call, host: bool) -> Value:
    args = call.args
    size = _length_of_range(call) if args else Size()
    dtype = dtype_of(call.get(3, "dtype"))
    arrays = [first_array(value) for value in args[:3]]
    if dtype is None and arrays and all(array.dtype is not None for array in arrays):
        floating = any("float" in (array.dtype or "") for array in arrays)
        dtype = default_dtype("float32" if floating else "int32", host)
    return array_of(call, host, dtype, (size,))


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
    dtype = dtype_of(call.keyword("dtype")) or default_dtype("float32", host)
    return array_of(call, host, dtype, shape, call.marks)


@function("eye", "identity")
def eye(call: Call, host: bool) -> Value:
    rows = size_from(call.argument(0, "N"))
    other = call.get(1, "M") if call.short == "eye" else None
    columns = rows if other is None or other.is_none else size_from(other)
    dtype = dtype_of(call.keyword("dtype")) or default_dtype("float32", host)
    return array_of(call, host, dtype, (rows, columns))
