"""Functions of each element, over axes, and products, in NumPy and `jax.numpy`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gotcha_lint.domain.value import (
    INFINITY,
    Array,
    Number,
    Size,
    Tuple,
    Value,
    fixed,
    join_all,
    only,
    size_from,
)
from gotcha_lint.domain.value import Sequence as SequenceOf
from gotcha_lint.interpret.arrays import (
    Shape,
    as_arrays,
    dtype_of,
    elementwise,
    first_array,
    matmul,
    promote,
    reduce,
)
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.models.array_methods import (
    REDUCTIONS,
    SHAPES,
    accumulated,
    is_true,
    shape_function,
    with_dtype,
)
from gotcha_lint.interpret.models.array_names import (
    COMPARISONS,
    INEXACT,
    ONE_ARRAY,
    PARTS,
    SAME,
    TWO,
)
from gotcha_lint.interpret.models.array_results import array_of, default_dtype, function
from gotcha_lint.interpret.promotion import part_dtype

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
    if call.short in PARTS:
        found = _parts(found)
    return with_dtype(found, call.keyword("dtype"), host)


def _parts(value: Value) -> Value:
    """Of complex numbers, their real parts or sizes."""
    atoms = [
        replace(atom, dtype=part_dtype(atom.dtype)) if isinstance(atom, Array) else atom
        for atom in value.atoms
    ]
    return Value(atoms, value.unknown, value.marks)


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
    return array_of(call, host, default_dtype("int32", host), shape, call.marks)


# Products


@function("matmul", "dot")
def product_of(call: Call, host: bool) -> Value:
    if len(call.args) < 2:
        return array_of(call, host, None, None, call.marks)
    return matmul(call.engine, call.args[0], call.args[1], call.span)


@function("outer")
def outer(call: Call, host: bool) -> Value:
    call.engine.equations += 1
    a, b = first_array(call.argument(0, "a")), first_array(call.argument(1, "b"))
    dtype, weak = promote((a.dtype, a.weak), (b.dtype, b.weak), host)
    known = a.shape and b.shape and len(a.shape) == len(b.shape) == 1
    shape = (*(a.shape or ()), *(b.shape or ())) if known else None
    return array_of(call, host, dtype, shape, call.marks, weak)


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
    return array_of(call, host, dtype, shape, call.marks, weak)


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


# Codes of classes


@function("one_hot")
def one_hot(call: Call, host: bool) -> Value:
    call.engine.equations += 1
    shape, classes = first_array(call.argument(0, "x")).shape, call.argument(1, "num_classes")
    shape = None if shape is None else (*shape, size_from(classes))
    dtype = dtype_of(call.keyword("dtype")) or default_dtype("float32", host)
    return array_of(call, host, dtype, shape, call.argument(0, "x").marks)


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
    dtype = default_dtype("int32", host) if call.short in names else first.dtype
    found = array_of(call, host, dtype, (size,), call.marks)
    if call.short in ("nonzero", "where"):
        count = len(first.shape) if first.shape is not None else None
        if count is None:
            return only(SequenceOf(found, Size()))
        return only(Tuple((found,) * count, call.origin))
    return found if call.short != "argwhere" else array_of(call, host, dtype, None, call.marks)


# Shapes


@function("diag", "diagflat")
def diagonal(call: Call, host: bool) -> Value:
    """A matrix with the elements of a row on a diagonal, or a diagonal of a matrix."""
    value, k = call.argument(0, "v"), call.get(1, "k")
    offset = 0 if k is None else k.constant
    found: list[Value] = []
    for array in as_arrays(value) or ():
        shape: Shape | None = None
        if array.shape is not None:
            side = array.shape[0].constant if len(array.shape) == 1 else None
            shape = (Size(),) * (2 if len(array.shape) == 1 else 1)
            if side is not None and isinstance(offset, int):
                shape = (fixed(side + abs(offset)),) * 2
        found.append(array_of(call, host, array.dtype, shape, weak=array.weak))
    call.engine.equations += 1
    if not found:
        return array_of(call, host, None, None, call.marks)
    return join_all(found).marked(call.marks)


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
    dtype = default_dtype("float32" if real else "complex64", host)
    return array_of(call, host, dtype, shape, call.marks)
