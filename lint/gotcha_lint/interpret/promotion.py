"""Types of arrays: JAX's promotion with weak types, and NumPy's.

Exact for the types that are named here, with 64-bit types off for JAX; checked against
`jax.numpy.promote_types` and NumPy in the tests. A type that is not known is None.
"""

from __future__ import annotations

from functools import cache

from gotcha_lint.domain.value import Atom, Constant, Library, Value

SIZES = {
    "bool": 1,
    "int8": 1,
    "uint8": 1,
    "int16": 2,
    "uint16": 2,
    "float16": 2,
    "bfloat16": 2,
    "int32": 4,
    "uint32": 4,
    "float32": 4,
    "int64": 8,
    "uint64": 8,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
    "key": 8,
}  # bytes of an element
PYTHON_DTYPES = {"bool": "bool", "int": "int32", "float": "float32", "complex": "complex64"}
CANONICAL = {
    "int64": "int32",
    "uint64": "uint32",
    "float64": "float32",
    "complex128": "complex64",
}  # what JAX makes of a type while 64-bit types are off
WIDE = {
    "int32": "int64",
    "float32": "float64",
    "complex64": "complex128",
}  # what NumPy makes of a Python number; its type here is that of JAX
_PYTHON_TYPES = {"float": "float64", "int": "int64", "complex": "complex128", "bool_": "bool"}

Typed = tuple[str | None, bool]  # dtype, weak

_ABOVE = {
    "bool": ("i*",),
    "i*": ("uint8", "int8"),
    "uint8": ("int16", "uint16"),
    "uint16": ("int32", "uint32"),
    "uint32": ("int64", "uint64"),
    "uint64": ("f*",),
    "int8": ("int16",),
    "int16": ("int32",),
    "int32": ("int64",),
    "int64": ("f*",),
    "f*": ("bfloat16", "float16", "c*"),
    "bfloat16": ("float32",),
    "float16": ("float32",),
    "float32": ("float64", "complex64"),
    "float64": ("complex128",),
    "c*": ("complex64",),
    "complex64": ("complex128",),
    "complex128": (),
}
_WEAK = {"i": "i*", "f": "f*", "c": "c*"}
_OF_WEAK = {"i*": "int32", "f*": "float32", "c*": "complex64"}


def kind(dtype: str) -> str:
    """`b` bool, `i` integer, `f` floating, `c` complex, `k` random key."""
    if dtype in ("bool", "key"):
        return dtype[0]
    if "float" in dtype:
        return "f"
    return "c" if dtype.startswith("complex") else "i"


def is_inexact(dtype: str | None) -> bool:
    return dtype is not None and kind(dtype) in "fc"


_PARTS = {"complex64": "float32", "complex128": "float64"}


def part_dtype(dtype: str | None) -> str | None:
    """The type of the real part, of the imaginary part, and of the size of a number."""
    return _PARTS.get(dtype, dtype) if dtype is not None else None


def canonical_dtype(dtype: str | None, host: bool = False) -> str | None:
    """The type that an array of this type has: on the device at most 32 bits."""
    return dtype if host or dtype is None else CANONICAL.get(dtype, dtype)


def promote(a: Typed, b: Typed, host: bool) -> Typed:
    """The type of `a + b`, of two pairs of dtype and weak type."""
    (first, weak), (second, other) = a, b
    if first is None or second is None:
        return None, False
    if first not in _ABOVE or second not in _ABOVE:
        return (first, False) if first == second else (None, False)
    return _numpy(first, weak, second, other) if host else _jax(first, weak, second, other)


@cache
def _jax(first: str, weak: bool, second: str, other: bool) -> Typed:
    a, b = CANONICAL.get(first, first), CANONICAL.get(second, second)
    if a == b:
        return a, weak and other
    if weak and other:
        joined = _least_above(a, b)
        return CANONICAL.get(joined, _OF_WEAK.get(joined, joined)), True
    joined = _least_above(_node(a, weak), _node(b, other))
    if joined in _OF_WEAK:
        return _OF_WEAK[joined], True
    return CANONICAL.get(joined, joined), False


def _node(dtype: str, weak: bool) -> str:
    return _WEAK.get(kind(dtype), dtype) if weak else dtype


def _least_above(a: str, b: str) -> str:
    common = _all_above(a) & _all_above(b)
    return next(node for node in common if common == _all_above(node))


@cache
def _all_above(node: str) -> frozenset[str]:
    return frozenset((node,)).union(*(_all_above(above) for above in _ABOVE[node]))


@cache
def _numpy(first: str, weak: bool, second: str, other: bool) -> Typed:
    if weak != other:
        number, dtype = (first, second) if weak else (second, first)
        order = "bifc"
        if order.index(kind(number)) <= order.index(kind(dtype)):
            return dtype, False
        if kind(number) == "c" and kind(dtype) == "f":
            return ("complex128" if dtype == "float64" else "complex64"), False
        return WIDE.get(number, number), False
    if weak:
        first, second = WIDE.get(first, first), WIDE.get(second, second)
    return _numpy_strong(first, second), False


def _numpy_strong(a: str, b: str) -> str:
    if a == b or kind(b) == "b":
        return a
    if kind(a) == "b":
        return b
    if kind(a) == kind(b) == "i":
        return _integers(a, b)
    inexact = [x for x in (a, b) if is_inexact(x)]
    whole = [x for x in (a, b) if not is_inexact(x)]
    bits = max(_float_bits(x) for x in (a, b))
    if "bfloat16" in inexact and len(inexact) == 1 and whole and SIZES[whole[0]] > 1:
        bits = 32 if SIZES[whole[0]] == 2 else 64
    elif {a, b} == {"bfloat16", "float16"}:
        bits = 32
    elif "bfloat16" in (a, b) and bits == 16:
        return "bfloat16"
    if any(kind(x) == "c" for x in inexact):
        return "complex128" if bits == 64 else "complex64"
    return f"float{bits}"


def _float_bits(dtype: str) -> int:
    """Bits of the smallest floating type that NumPy takes for it."""
    size = SIZES[dtype]
    if kind(dtype) == "i":
        return {1: 16, 2: 32}.get(size, 64)
    return size * 4 if kind(dtype) == "c" else size * 8


def _integers(a: str, b: str) -> str:
    small, large = sorted((a, b), key=lambda x: SIZES[x])
    if a.startswith("u") == b.startswith("u"):
        return large
    if large.startswith("int") and SIZES[large] > SIZES[small]:
        return large
    bits = SIZES[large] * 16
    return f"int{bits}" if bits <= 64 else "float64"


def dtype_of(value: Value | None) -> str | None:
    """The dtype that an argument `dtype=` names; None where none is named, or it is not known."""
    return _named(value.only) if value is not None else None


def dtypes_of(value: Value | None) -> tuple[str | None, ...]:
    """Each dtype that an argument may name; None for what is not known."""
    if value is None or value.unknown or not value.atoms:
        return (None,)
    return tuple(sorted({_named(atom) for atom in value.atoms}, key=str))


def of_each_dtype(found: Value, given: Value | None) -> Value:
    """Arrays of several dtypes: which it is varies with the argument that names the dtype."""
    if given is None or len(found.atoms) < 2:
        return found
    marks = given.marks | given.choice
    return Value(found.atoms, found.unknown, found.marks | marks, found.choice | marks)


def _named(atom: Atom | None) -> str | None:
    if isinstance(atom, Library):
        name = atom.name.rpartition(".")[2]
    elif isinstance(atom, Constant) and isinstance(atom.value, str):
        name = atom.value
    else:
        return None
    name = _PYTHON_TYPES.get(name, name)
    return name if name in SIZES and name != "key" else None
