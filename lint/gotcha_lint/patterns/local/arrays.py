"""Which registers surely hold arrays of JAX, as the text says (floor `patterns`)."""

from __future__ import annotations

from gotcha_lint.facts.updates import AT_UPDATES
from gotcha_lint.program.ir import Function, Instruction, Register
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import Makers

NUMPY = ("jax.numpy.", "jax.scipy.", "jax.nn.", "jax.lax.", "jax.random.")
_ANNOTATIONS = frozenset(("jax.Array", "jax.numpy.ndarray"))
_TRANSFORMS = frozenset(("jax.vmap", "jax.jit", "jax.pmap", "jax.checkpoint", "jax.remat"))
_PARTS = frozenset(("T", "mT", "at", "real", "imag"))
# They give a tuple, a type, a number; or what they are given, where that is no array of JAX.
_OTHERS = frozenset(
    f"jax.numpy.{name}"
    for name in ("shape", "ndim", "size", "result_type", "dtype", "finfo", "iinfo", "issubdtype",
                 "iscomplexobj", "isscalar", "promote_types", "broadcast_shapes", "can_cast",
                 "reshape", "save", "savez", "load", "printoptions", "set_printoptions")
)  # fmt: skip
_OF_ARRAYS = frozenset(("Div", "Sub", "MatMult", "Pow", "FloorDiv"))  # trees have none of these
_DEPTH = 12


def is_array(origins: Origins, function: Function, register: Register, depth: int = 0) -> bool:
    """Is it one, whatever happens? Of what a caller gives its annotation says so."""
    if origins.library(function, register) in _ANNOTATIONS:
        return True
    reader = origins.reader(function)
    i = reader.made(register)
    if i is None or depth > _DEPTH:
        return False

    def also(other: Register) -> bool:
        return is_array(origins, function, other, depth + 1)

    if i[0] == "call":
        if _is_update(reader.makers, i):
            return True
        name = origins.names.of_call(function, i)
        callee = reader.makers.get(i[2])
        if name == "jax.numpy.reshape" and i[3]:  # it leaves arrays of numpy as they are
            given = reader.made(i[3][0][1])
            return (given is not None and given[0] == "build") or also(i[3][0][1])
        if name:
            return name.startswith(NUMPY) and name not in _OTHERS
        return callee is not None and callee[0] == "attr" and also(callee[2])
    if i[0] in ("binop", "augment"):
        parts = i[3:5]
        whole = i[2] in _OF_ARRAYS and any(_is_transformed(origins, function, x) for x in parts)
        return whole or any(map(also, parts))
    if i[0] == "compare":
        return any(also(one) or _is_transformed(origins, function, one) for one in i[3:5])
    if i[0] == "attr":
        return i[3] in _PARTS and also(i[2])
    if i[0] == "item":
        return also(i[2]) or origins.of_elements(function, i[2]) in _ANNOTATIONS
    return i[0] == "unop" and also(i[3])


def _is_update(makers: Makers, call: Instruction) -> bool:
    """`x.at[i].set(v)`, whatever `x` is."""
    callee = makers.get(call[2])
    item = makers.get(callee[2]) if callee is not None and callee[0] == "attr" else None
    at = makers.get(item[2]) if item is not None and item[0] == "item" else None
    if callee is None or at is None or at[0] != "attr":
        return False
    return at[3] == "at" and callee[3] in AT_UPDATES


def _is_transformed(origins: Origins, function: Function, register: Register) -> bool:
    """The result of `jax.vmap(f)(x)`: an array, where it is compared or computed with."""
    reader = origins.reader(function)
    made = reader.made(register)
    inner = reader.made(made[2]) if made is not None and made[0] == "call" else None
    return (
        inner is not None
        and inner[0] == "call"
        and (origins.names.of_call(function, inner) in _TRANSFORMS)
    )
