"""Parameters of linen that are stored in the type of the computation (floor `patterns`).

Flax computes in `dtype` and stores in `param_dtype`. The fourth argument of `self.param` says in
which type a parameter is stored. By the text of one class (may): an instance may be given another
type than the class has by default.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.halves import HALVES
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import dotted

_PARAM, _PLACE = "param", 3  # where the type stands: self.param(name, init, shape, dtype)
_STORED = frozenset(("param_dtype", "params_dtype", "weight_dtype", "parameter_dtype"))
_LAYERS = "flax.linen."


@dataclass(frozen=True)
class HalfParameter:
    """`chosen`: how the type is written; `half`: what it is, "" where a caller decides."""

    span: Span
    name: str
    chosen: str
    half: str


def half_parameters(origins: Origins, function: Function) -> Iterator[HalfParameter]:
    """`self.param("scale", init, shape, self.dtype)`, in the methods of a class."""
    owner = function.parent
    if owner is None or not owner.is_class:
        return
    makers = origins.links.makers(function)
    for call in steps_of(function):
        if call[0] != "call" or dotted(makers, call[2]) != f"self.{_PARAM}":
            continue
        register = _type_of(call)
        if register is None:
            continue
        chosen = dotted(makers, register)
        half = _half(origins, function, register)
        field = chosen.removeprefix("self.")
        if not half and chosen == f"self.{field}" and field not in _STORED:
            default = _default(owner, field)
            half = "" if default is None else _half(origins, owner, default)
            if not half and not _computes_in(origins, function, chosen):
                continue
        elif not half:
            continue
        name = makers.get(call[3][0][1])
        text = str(name[2]) if name is not None and name[0] == "const" else "a parameter"
        made = makers.get(register)
        yield HalfParameter(call[-1] if made is None else made[-1], text, chosen or half, half)


def _type_of(call: Instruction) -> Register | None:
    if any(star for star, _ in call[3]):
        return None
    given = [register for _, register in call[3]]
    return given[_PLACE] if len(given) == _PLACE + 1 else dict(call[4]).get("dtype")


def _half(origins: Origins, function: Function, register: Register) -> str:
    """`jnp.bfloat16` or its name; "" for every other type."""
    made = origins.links.makers(function).get(register)
    if made is not None and made[0] == "const":
        return made[2] if made[2] in HALVES else ""
    library, _, name = origins.names.of_register(function, register).rpartition(".")
    return name if library in ("jax.numpy", "numpy", "ml_dtypes") and name in HALVES else ""


def _default(owner: Function, field: str) -> Register | None:
    """What a field of a class is by default."""
    stored = [i[4] for i in steps_of(owner) if i[0] == "store" and i[2] == field]
    return stored[-1] if stored else None


def _computes_in(origins: Origins, function: Function, chosen: str) -> bool:
    """Is a layer of the same method given this type as its `dtype`, but not for its weights?"""
    makers = origins.links.makers(function)
    for call in steps_of(function):
        if call[0] == "call" and origins.names.of_call(function, call).startswith(_LAYERS):
            words = {word: dotted(makers, register) for word, register in call[4]}
            if words.get("dtype") == chosen and not _STORED & words.keys():
                return True
    return False
