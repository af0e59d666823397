"""Methods of arrays, and the functions of NumPy and `jax.numpy` that change only shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gotcha_lint.domain import affine
from gotcha_lint.domain.freshness import aged
from gotcha_lint.domain.tracers import TRACERS
from gotcha_lint.domain.value import (
    INFINITY,
    NO_MARKS,
    UNKNOWN,
    Array,
    Constant,
    Marks,
    Number,
    Size,
    Tuple,
    Value,
    as_affine,
    fixed,
    only,
    size_from,
)
from gotcha_lint.domain.value import Sequence as SequenceOf
from gotcha_lint.facts.halves import HALVES
from gotcha_lint.interpret.arrays import (
    Shape,
    as_arrays,
    axes_from,
    canonical_dtype,
    dtypes_of,
    is_inexact,
    matmul,
    of_each_dtype,
    reduce,
)
from gotcha_lint.interpret.call import Call, methods
from gotcha_lint.interpret.faults.remarks import CALLED_DEVICE, remark
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.host import METHODS as READS
from gotcha_lint.interpret.host import read
from gotcha_lint.interpret.result_types import from_table

REDUCTIONS: dict[str, str | None] = {
    "sum": "sum",
    "prod": "sum",
    "nansum": "sum",
    "mean": "mean",
    "std": "mean",
    "var": "mean",
    "median": "mean",
    "nanmean": "mean",
    "average": "mean",
    "logsumexp": "mean",
    "norm": "mean",
    "max": None,
    "min": None,
    "amax": None,
    "amin": None,
    "nanmax": None,
    "nanmin": None,
    "argmax": "index",
    "argmin": "index",
    "count_nonzero": "index",
    "all": "bool",
    "any": "bool",
}
SHAPES = frozenset(
    (
        "reshape",
        "transpose",
        "permute_dims",
        "matrix_transpose",
        "swapaxes",
        "moveaxis",
        "expand_dims",
        "squeeze",
        "ravel",
        "flatten",
    )
)
_SAME = frozenset(
    ("copy", "clip", "round", "conj", "conjugate", "sort", "block_until_ready", "to_device")
)
_IN_PLACE = frozenset(("sort", "fill", "put", "setflags", "partition", "resize"))


def is_true(value: Value | None) -> bool:
    return value is not None and value.constant is True


_GIVING_ARRAYS = frozenset(
    ("choose", "compress", "conj", "conjugate", "copy", "diagonal", "dot", "nonzero", "ptp",
     "repeat", "searchsorted", "sort", "swapaxes", "take", "trace", "view", "block_until_ready",
     "flatten", "astype", "byteswap", "newbyteorder", "partition", "argpartition")
)  # fmt: skip


@methods("array")
def array_method(call: Call) -> Value:
    array = call.on
    if not isinstance(array, Array):
        return Value((), True, call.receiver.marks)
    if array.place != "host" and call.name not in READS and not call.name.startswith("at"):
        me = Value((array,), False, call.receiver.marks)
        found = from_table(call, f"jax.Array.{call.short}", (me, *call.args))
        if found is not None:
            return found
    call.engine.equations += 1
    return method_of(call, array)


def method_of(call: Call, array: Array) -> Value:
    """`array.name(...)`"""
    name, marks = call.short, call.receiver.marks
    me = Value((array,), False, marks)
    if call.name.startswith("at"):
        return _updated(call, array)
    if name in READS:
        seen = read(call.engine, (me,), call.span, name)
        if seen:
            return _read(call, array, me, seen)
    if name in SHAPES:
        return reshaped(call, name, array, call.args, me)
    if name in REDUCTIONS:
        keep = is_true(call.keyword("keepdims"))
        host = array.place == "host"
        axis = call.get(0, "axis")
        found = reduce(call.engine, me, axis, keep, call.span, host, REDUCTIONS[name])
        return with_dtype(found, call.keyword("dtype"), host)
    if array.place == "host" and name in _IN_PLACE:
        return only(Constant(None, "NoneType"))
    if name == "astype":
        return _cast(call, array)
    if name in ("cumsum", "cumprod"):
        found = accumulated(call, array, call.get(0, "axis"), array.place == "host")
        return found.marked(marks)
    if name == "device" and not call.args:
        remark(call.engine, CALLED_DEVICE, call.span)
    if name in _SAME:
        return me
    if name == "dot" and call.args:
        return matmul(call.engine, me, call.args[0], call.span)
    if name == "item":
        return _item(call, array)
    if name == "argsort":
        dtype = "int64" if array.place == "host" else "int32"
        return only(Array(dtype, False, array.shape, array.place, call.origin), marks)
    if name == "tolist":
        return Value((), True, marks)
    if name not in _GIVING_ARRAYS and not name.startswith("__"):
        return Value((), True, (marks | call.marks) - TRACERS)  # so it is no array
    return only(Array(None, False, None, array.place, call.origin), marks | call.marks)


def _read(call: Call, array: Array, me: Value, seen: Marks) -> Value:
    """What the host gets from `item`, `tolist`, ..., and the array that it has waited for."""
    got = aged(me, call.engine.aged)
    if call.short == "block_until_ready":
        return got
    found = _item(call, array) if call.short == "item" else Value((), True)
    return Value(found.atoms, found.unknown, got.marks | seen)


def with_dtype(found: Value, dtype: Value | None, host: bool) -> Value:
    """The arrays, in the type that an argument `dtype=` names."""
    if dtype is None or dtype.is_none:
        return found
    names = [canonical_dtype(each, host) for each in dtypes_of(dtype)]
    atoms = [
        replace(atom, dtype=name, weak=False) if isinstance(atom, Array) else atom
        for atom in found.atoms
        for name in names
    ]
    return of_each_dtype(Value(atoms, found.unknown, found.marks), dtype if names[1:] else None)


def _updated(call: Call, array: Array) -> Value:
    """`x.at[i].set(y)` has the type and the shape of `x`."""
    marks = call.receiver.marks | call.marks
    if call.short == "get":
        return only(Array(array.dtype, array.weak, None, array.place, call.origin), marks)
    return only(replace(array, origin=call.origin), marks)


def _cast(call: Call, array: Array) -> Value:
    given, host = call.argument(0, "dtype"), array.place == "host"
    names = [canonical_dtype(each, host) for each in dtypes_of(given)]
    atoms = [Array(name, False, array.shape, array.place, call.origin) for name in names]
    return of_each_dtype(Value(atoms, False, call.receiver.marks), given)


def half_of_unknown(call: Call) -> Value | None:
    """`x.astype(jnp.bfloat16)` of something unknown: an array, of which the type is known.

    None where the type is none of half precision: nothing is gained by a guess at its place.
    """
    given = call.argument(0, "dtype")
    names = [canonical_dtype(each) for each in dtypes_of(given)]
    if HALVES.isdisjoint(names):
        return None
    atoms = [Array(name, False, None, "device", call.origin) for name in names]
    return of_each_dtype(Value(atoms, False, call.receiver.marks), given)


def accumulated(call: Call, array: Array, axis: Value | None, host: bool) -> Value:
    """`cumsum`: of all elements in a row, where no axis is given."""
    shape = array.shape
    if axis is None or axis.is_none:
        shape = None if shape is None else (product(shape),)
    dtype = array.dtype
    if host and dtype is not None and not is_inexact(dtype):
        dtype = "uint64" if dtype.startswith("u") else "int64"
    elif dtype == "bool":
        dtype = "int32"
    place = "host" if host else "device"
    found = only(Array(dtype, array.weak and not host, shape, place, call.origin))
    return with_dtype(found, call.keyword("dtype"), host)


def _item(call: Call, array: Array) -> Value:
    dtype = array.dtype or "float"
    if dtype == "bool":
        return only(Number("bool", 0, 1, None, call.origin), call.receiver.marks)
    kind = "int" if "int" in dtype else "complex" if "complex" in dtype else "float"
    return only(Number(kind, -INFINITY, INFINITY, None, call.origin), call.receiver.marks)


# Shapes


def product(sizes: Sequence[Size]) -> Size:
    """The number of elements."""
    count = 1
    loose: list[Size] = []
    for size in sizes:
        if size.constant is None:
            loose.append(size)
        else:
            count *= size.constant
    if not loose:
        return fixed(count)
    if not count:
        return fixed(0)
    if len(loose) == 1:
        return scaled(loose[0], count)
    marks = NO_MARKS.union(*(size.marks for size in loose))
    return Size(0, INFINITY, marks, origin=loose[0].origin)


def scaled(size: Size, factor: int) -> Size:
    """A size that is `factor` times another one."""
    few = frozenset(n * factor for n in size.few) if size.few else None
    form = affine.scale(as_affine(size), factor)
    low, high = size.low * factor, size.high * factor
    return Size(low, high, size.marks, few, form, size.ragged, size.origin)


def divided(size: Size, by: Size) -> Size:
    """`size / by`, which the program takes to be whole."""
    if by.constant == 1:
        return size
    if size.constant is not None and by.constant:
        return fixed(size.constant // by.constant, size.origin)
    if size == by and size.affine is not None:
        return fixed(1)
    return Size(0, INFINITY, size.marks | by.marks, origin=size.origin)


def reshaped(call: Call, name: str, array: Array, args: Sequence[Value], me: Value) -> Value:
    """What changes only the shape: `reshape`, `transpose`, `squeeze`, ..."""
    shape = _reshaped(call, name, array.shape, args)
    return only(Array(array.dtype, array.weak, shape, array.place, call.origin), me.marks)


def _reshaped(call: Call, name: str, shape: Shape | None, args: Sequence[Value]) -> Shape | None:
    given = args[0] if args else call.keyword("shape") or call.keyword("newshape")
    if name == "reshape":
        return _new_shape(call, shape, args if args else (given,) if given else ())
    if name in ("ravel", "flatten"):
        return (product(shape),) if shape is not None else (Size(),)
    if shape is None:
        return None
    axis = args[0] if args else call.keyword("axis") or call.keyword("axes")
    if name in ("transpose", "permute_dims"):
        return _permuted(call, shape, args if args else (axis,) if axis else ())
    if name == "matrix_transpose":
        return (*shape[:-2], shape[-1], shape[-2]) if len(shape) > 1 else None
    if name == "squeeze":
        return _squeezed(call, shape, axis)
    if axis is None:
        return None
    if name == "expand_dims":
        return _expanded(call, shape, axis)
    other = args[1] if len(args) > 1 else UNKNOWN
    return _moved(name, shape, axis, other)


def _new_shape(call: Call, shape: Shape | None, args: Sequence[Value]) -> Shape | None:
    content = contents(call.engine, args[0]) if len(args) == 1 else None
    if isinstance(content, SequenceOf):
        return None
    parts = content.items if isinstance(content, Tuple) else tuple(args)
    if content is None and any(_is_no_size(part) for part in parts):
        return None
    sizes = [size_from(part) for part in parts]
    free = [i for i, part in enumerate(parts) if part.constant == -1]
    if len(free) == 1:
        kept = [size for i, size in enumerate(sizes) if i != free[0]]
        sizes[free[0]] = _rest(shape, kept)
    return tuple(sizes)


def _is_no_size(value: Value) -> bool:
    return value.unknown or any(not isinstance(a, (Constant, Number)) for a in value.atoms)


def _rest(shape: Shape | None, kept: Sequence[Size]) -> Size:
    """The size for -1: what is left of the elements; sizes that are in both cancel out."""
    if shape is None:
        return Size()
    above, below = list(shape), []
    for size in kept:
        if size.constant is None and size in above:
            above.remove(size)
        else:
            below.append(size)
    return divided(product(above), product(below))


def _permuted(call: Call, shape: Shape, args: Sequence[Value]) -> Shape | None:
    if not args or args[0].is_none:
        return tuple(reversed(shape))
    content = contents(call.engine, args[0]) if len(args) == 1 else Tuple(tuple(args))
    if not isinstance(content, Tuple) or len(content.items) != len(shape):
        return None
    order = [item.constant for item in content.items]
    if not all(isinstance(i, int) and -len(shape) <= i < len(shape) for i in order):
        return None
    return tuple(shape[i] for i in order)


def _squeezed(call: Call, shape: Shape, axis: Value | None) -> Shape | None:
    if axis is None or axis.is_none:
        if any(size.constant is None and size.low <= 1 for size in shape):
            return None
        return tuple(size for size in shape if size.constant != 1)
    axes = axes_from(call.engine, axis, len(shape))
    return None if axes is None else tuple(s for i, s in enumerate(shape) if i not in axes)


def _expanded(call: Call, shape: Shape, axis: Value) -> Shape | None:
    content = contents(call.engine, axis)
    rank = len(shape) + (len(content.items) if isinstance(content, Tuple) else 1)
    axes = axes_from(call.engine, axis, rank)
    if axes is None:
        return None
    old = iter(shape)
    return tuple(fixed(1) if i in axes else next(old, fixed(1)) for i in range(rank))


def _moved(name: str, shape: Shape, axis: Value, other: Value) -> Shape | None:
    source, target, rank = axis.constant, other.constant, len(shape)
    if not isinstance(source, int) or not isinstance(target, int):
        return None
    if not (-rank <= source < rank and -rank <= target < rank):
        return None
    sizes = list(shape)
    if name == "swapaxes":
        sizes[source], sizes[target] = sizes[target], sizes[source]
    else:
        sizes.insert(target % rank, sizes.pop(source))
    return tuple(sizes)


def shape_function(call: Call, place: str) -> Value:
    """`jnp.reshape(x, ...)` and its kin."""
    if not call.args:
        return only(Array(None, False, None, place, call.origin), call.marks)
    me, out = call.args[0], []
    for array in as_arrays(me) or [Array(None, False, None)]:
        array = replace(array, place=place)
        out.append(reshaped(call, call.short, array, call.args[1:], me))
    atoms = [atom for value in out for atom in value.atoms]
    return Value(atoms, False, me.marks)
