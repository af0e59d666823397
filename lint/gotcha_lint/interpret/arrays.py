"""Arrays: what operations give, in dtype, weak type and shape; and arrays in trees.

`promotion` has the rules of types, `indexing` those of slices; both are offered here too. What is
not known of an argument is not known of the result: dtype or shape None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gotcha_lint.domain.derivative import flows_in
from gotcha_lint.domain.keys import EACH_ONE
from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.tracers import traced_in
from gotcha_lint.domain.value import (
    NO_MARKS,
    Array,
    Atom,
    Constant,
    Marks,
    Number,
    Object,
    Size,
    Symbol,
    Tuple,
    Value,
    all_marks,
    fixed,
    join_all,
    only,
    size_from,
)
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.indexing import Shape, broadcast, index, is_slice, slice_size
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.promotion import (
    CANONICAL,
    PYTHON_DTYPES,
    SIZES,
    canonical_dtype,
    dtype_of,
    dtypes_of,
    is_inexact,
    kind,
    of_each_dtype,
    promote,
)

__all__ = [
    "ANY_ARRAY",
    "CANONICAL",
    "PYTHON_DTYPES",
    "SIZES",
    "Shape",
    "as_arrays",
    "axes_from",
    "broadcast",
    "bytes_of",
    "canonical_dtype",
    "dtype_of",
    "dtypes_of",
    "elementwise",
    "first_array",
    "index",
    "is_inexact",
    "is_slice",
    "lead",
    "matmul",
    "of_each_dtype",
    "on_device",
    "promote",
    "reduce",
    "shape_from",
    "slice_size",
    "strip",
    "unknown_array",
    "weaken",
]

_ALTERNATIVES = 8  # combinations of operands that are kept apart
ANY_ARRAY = Array(None, False, None)


def unknown_array(place: str, origin: Origin | None = None, marks: Marks = NO_MARKS) -> Value:
    return only(Array(None, False, None, place, origin), marks)


def as_arrays(value: Value) -> list[Array] | None:
    """The arrays that a value may be, numbers as weak scalars; None if anything else."""
    if value.unknown or not value.atoms:
        return None
    out: list[Array] = []
    for atom in value.atoms:
        if isinstance(atom, Array):
            out.append(atom)
        elif isinstance(atom, (Constant, Number)) and atom.type in PYTHON_DTYPES:
            weak = atom.type != "bool"
            out.append(Array(PYTHON_DTYPES[atom.type], weak, (), "python", atom.origin))
        else:
            return None
    return out


def first_array(value: Value) -> Array:
    """One of the arrays that a value may be; an array of which nothing is known, if need be."""
    return (as_arrays(value) or [ANY_ARRAY])[0]


def elementwise(
    machine: Machine,
    values: Sequence[Value],
    span: Span,
    host: bool | None,
    dtype: str | None = None,
    divide: bool = False,
) -> Value:
    """What an operation on each element gives.

    `host` None: on the device where an operand is there. `dtype`: of the result, whatever the
    operands; "inexact": integers become floating. `divide`: the operation is `/`.
    """
    machine.equations += 1
    marks, origin = all_marks(values), machine.origin(span)
    groups = [as_arrays(value) for value in values]
    if not groups or any(group is None for group in groups):
        return _of_unknown(values, marks, origin, host, dtype)
    combined: list[Array] = groups[0] or []
    for group in groups[1:]:
        pairs = [_combine(a, b, host, origin) for a in combined for b in group or ()]
        combined = _few(pairs)
    return join_all(only(_result(a, host, dtype, divide, origin), marks) for a in combined)


def _few(arrays: list[Array]) -> list[Array]:
    """Distinct ones; of too many always the same."""
    if len(arrays) <= _ALTERNATIVES:
        return arrays
    return sorted(dict.fromkeys(arrays), key=repr)[:_ALTERNATIVES]


def _of_unknown(
    values: Sequence[Value], marks: Marks, origin: Origin, host: bool | None, dtype: str | None
) -> Value:
    on_host = host if host is not None else all(_place(value) == "host" for value in values)
    known = None if dtype == "inexact" else dtype
    place = "host" if on_host else "device"
    return only(Array(known, False, None, place, origin), marks)


def _place(value: Value) -> str:
    places = {atom.place for atom in value.atoms if isinstance(atom, Array)}
    return "host" if places == {"host"} else "device" if places else ""


def _combine(a: Array, b: Array, host: bool | None, origin: Origin) -> Array:
    on_host = host if host is not None else "device" not in (a.place, b.place)
    dtype, weak = promote((a.dtype, a.weak), (b.dtype, b.weak), on_host)
    both = a.place == b.place == "python"
    place = "python" if both else "host" if on_host else "device"
    return Array(dtype, weak, broadcast(a.shape, b.shape), place, origin)


def _result(
    array: Array, host: bool | None, dtype: str | None, divide: bool, origin: Origin
) -> Array:
    on_host = host if host is not None else array.place != "device"
    found, weak = array.dtype, array.weak and not on_host
    if on_host and array.weak:
        found = _wide(found)
    if dtype == "inexact" or divide:
        if found is not None and not is_inexact(found):
            found, weak = ("float64", False) if on_host else ("float32", weak)
    elif dtype is not None:
        found, weak = dtype, False
    found = canonical_dtype(found, on_host)
    return Array(found, weak, array.shape, "host" if on_host else "device", origin)


def _wide(dtype: str | None) -> str | None:
    return None if dtype is None else promote((dtype, True), (dtype, True), True)[0]


def matmul(machine: Machine, x: Value, y: Value, span: Span) -> Value:
    """`x @ y`"""
    machine.equations += 1
    marks, origin = x.marks | y.marks, machine.origin(span)
    first, second = as_arrays(x), as_arrays(y)
    if first is None or second is None:
        return _of_unknown([x, y], marks, origin, None, None)
    out: list[Value] = []
    for a in first:
        for b in second:
            combined = replace(_combine(a, b, None, origin), shape=None)
            found = _result(combined, None, None, False, origin)
            out.append(only(replace(found, shape=_product_shape(a.shape, b.shape)), marks))
    return join_all(out[:_ALTERNATIVES])


def _product_shape(a: Shape | None, b: Shape | None) -> Shape | None:
    if not a or not b:
        return None
    if len(b) == 1:
        return a[:-1]
    if len(a) == 1:
        return (*b[:-2], b[-1])
    batch = broadcast(a[:-2], b[:-2])
    return None if batch is None else (*batch, a[-2], b[-1])


_SUMS = {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}


def reduce(
    machine: Machine,
    value: Value,
    axis: Value | None,
    keep: bool,
    span: Span,
    host: bool | None,
    how: str | None = None,
) -> Value:
    """A reduction. `how`: "sum", "mean", "index", "bool", a dtype; None keeps the dtype."""
    machine.equations += 1
    origin = machine.origin(span)
    out: list[Value] = []
    for array in as_arrays(value) or [ANY_ARRAY]:
        on_host = host if host is not None else array.place == "host"
        shape = _reduced(machine, array.shape, axis, keep)
        dtype = canonical_dtype(_reduced_dtype(array, how, on_host), on_host)
        place = "host" if on_host else "device"
        out.append(only(Array(dtype, False, shape, place, origin), value.marks))
    return join_all(out)


def _reduced_dtype(array: Array, how: str | None, host: bool) -> str | None:
    dtype = _wide(array.dtype) if array.weak and host else array.dtype
    if how == "index":
        return "int64" if host else "int32"
    if dtype is None or how is None:
        return dtype
    if how == "mean":
        return dtype if is_inexact(dtype) else "float64" if host else "float32"
    if how != "sum":
        return how
    if host and kind(dtype) in "bi":
        return "uint64" if dtype.startswith("u") else "int64"
    return _SUMS.get(dtype, dtype)


def axes_from(machine: Machine, axis: Value, rank: int) -> frozenset[int] | None:
    """The axes that an argument names, counted from 0; None where they are not known."""
    content = contents(machine, axis)
    given = content.items if isinstance(content, Tuple) else (axis,)
    axes: set[int] = set()
    for value in given:
        number = value.constant
        if not isinstance(number, int) or not -rank <= number < rank:
            return None
        axes.add(number % rank)
    return frozenset(axes)


def _reduced(machine: Machine, shape: Shape | None, axis: Value | None, keep: bool) -> Shape | None:
    if axis is None or axis.is_none:
        if not keep:
            return ()
        return None if shape is None else (fixed(1),) * len(shape)
    if shape is None:
        return None
    axes = axes_from(machine, axis, len(shape))
    if axes is None:
        return None
    sizes = enumerate(shape)
    return tuple(fixed(1) if i in axes else size for i, size in sizes if keep or i not in axes)


def shape_from(machine: Machine, value: Value | None) -> Shape | None:
    """The shape that an argument `shape=` names; None where even its rank is not known."""
    if value is None:
        return None
    content = contents(machine, value)
    if isinstance(content, Tuple):
        return tuple(size_from(item) for item in content.items)
    if value.unknown or not value.atoms:
        return None
    if all(isinstance(x, (Constant, Number)) and x.type == "int" for x in value.atoms):
        return (size_from(value),)
    atom = value.only
    if isinstance(atom, Array) and atom.shape == ():
        return (Size(marks=value.marks, origin=atom.origin),)
    return None


# Arrays in trees


def lead(value: Value, size: Size) -> Value:
    """The arrays of a tree, stacked along a new leading axis."""

    def leaf(array: Array) -> Atom:
        shape = None if array.shape is None else (size, *array.shape)
        return replace(array, shape=shape, place="device", key=None)

    return _map_arrays(value, leaf)


def strip(value: Value) -> Value:
    """The arrays of a tree without their leading axis: one of what they are stacked of.

    Of what it varies with, only the flows of derivatives are kept.
    """
    out: list[Atom] = []
    marks = flows_in(value.marks) | traced_in(value.marks)
    unknown = value.unknown
    for atom in value.atoms:
        if isinstance(atom, Array):
            shape = atom.shape[1:] if atom.shape else None
            key = atom.key.step(EACH_ONE) if atom.key is not None else None
            out.append(replace(atom, shape=shape, place="device", key=key))
        elif isinstance(atom, Tuple):
            out.append(Tuple(tuple(strip(item) for item in atom.items), atom.origin))
        elif isinstance(atom, Symbol):
            step = atom.step("[*]", atom.origin)
            unknown = unknown or step is None
            out += [step] if step is not None else []
        elif isinstance(atom, Object):
            unknown = True
        else:
            out.append(atom)
    return Value(out, unknown, marks)


def weaken(value: Value) -> Value:
    """As a traced argument: Python numbers become weakly typed arrays."""
    if not any(isinstance(atom, (Constant, Number, Tuple)) for atom in value.atoms):
        return value

    def leaf(array: Array) -> Atom:
        return replace(array, place="device") if array.place == "python" else array

    return _map_arrays(value, leaf)


def on_device(value: Value) -> Value:
    """What a compiled function returns: all leaves are arrays of the device."""

    def leaf(array: Array) -> Atom:
        return replace(array, dtype=canonical_dtype(array.dtype), place="device")

    return _map_arrays(value, leaf)


def _map_arrays(value: Value, leaf: Callable[[Array], Atom]) -> Value:
    """Maps the arrays and numbers in tuples; all else stays as it is."""
    out: list[Value] = []
    for atom in value.atoms:
        found = as_arrays(only(atom))
        if found is not None:
            atom = leaf(found[0])
        elif isinstance(atom, Tuple):
            items = tuple(_map_arrays(item, leaf) for item in atom.items)
            atom = Tuple(items, atom.origin)
        out.append(Value((atom,), value.unknown, value.marks, value.choice))
    return join_all(out) if out else value


def bytes_of(array: Array) -> int | None:
    """How large it is; None where the dtype or a size is not known."""
    count = SIZES.get(array.dtype or "")
    if count is None or array.shape is None:
        return None
    for size in array.shape:
        if size.constant is None:
            return None
        count *= size.constant
    return count
