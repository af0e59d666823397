"""Parameters of compiled functions that are said to be objects JAX cannot take (floor `patterns`).

A parameter that is traced and annotated with a linen module, or with a class of the program that
surely is no pytree: nothing registers it, and it extends nothing but such classes. It
under-approximates: an annotation of a library's class counts for `flax.linen.Module` alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from gotcha_lint.facts.jax import STATIC_OPTIONS
from gotcha_lint.patterns.mutable_defaults import decorators_of
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.links import Links

_LINEN = "flax.linen.Module"
_JITS = frozenset(("jax.jit", "jax.pmap", "flax.nnx.jit"))
_PARTIAL = "functools.partial"
_PLAIN_BASES = frozenset(("builtins.object", "abc.ABC", "typing.Generic"))
_PLAIN_DECORATORS = frozenset(("dataclasses.dataclass", "typing.final"))
_TELLING = ("tree_flatten", "__jax_array__", "__init_subclass__", "__array__", "__getattr__")


@dataclass(frozen=True)
class TracedObject:
    """`parameter` of `function`, annotated with `cls`; `linen`: it is a module of Flax."""

    parameter: str
    span: Span
    function: Function
    cls: str
    linen: bool


def traced_objects(
    links: Links, around: Function, modules: Collection[Module]
) -> Iterator[TracedObject]:
    """Of the functions with a decorator that a body defines."""
    makers = links.makers(around)
    for i in steps_of(around):
        closure = makers.get(i[3][0][1]) if i[0] == "call" and len(i[3]) == 1 else None
        if closure is None or closure[0] != "closure" or i[4] or not i[2]:
            continue
        if _jit_without_static(links, around, i[2]):
            yield from _of_function(links, around, closure[2], modules)


def _jit_without_static(links: Links, around: Function, register: Register) -> bool:
    """`jax.jit`, `partial(jax.jit, donate_argnums=0)`: nothing is static."""
    if links.dotted(around, register) in _JITS:
        return True
    made = links.makers(around).get(register)
    if (
        made is None
        or made[0] != "call"
        or any(name in (None, *STATIC_OPTIONS) for name, _ in made[4])
    ):
        return False
    name = links.dotted(around, made[2])
    if name in _JITS:
        return not made[3]
    return name == _PARTIAL and len(made[3]) == 1 and links.dotted(around, made[3][0][1]) in _JITS


def _of_function(
    links: Links, around: Function, function: Function, modules: Collection[Module]
) -> Iterator[TracedObject]:
    for parameter in function.parameters:
        if parameter.kind not in ("pos", "kw") or parameter.span is None or parameter.has_default:
            continue
        link = links.of_name(function, parameter.name, 0, 0)
        if link is None or link.kind != "instance" or not link.annotated:
            continue
        lineage = links.lineage(link.function)
        if lineage is None:
            continue
        linen = any(_LINEN in parts.library for _, parts in lineage)
        if linen or all(_is_plain(links, body, modules) for body, _ in lineage):
            yield TracedObject(parameter.name, parameter.span, function, link.function.name, linen)


def _is_plain(links: Links, body: Function, modules: Collection[Module]) -> bool:
    """Surely no pytree by itself."""
    parts = links.class_parts(body)
    if parts is None or parts.metaclass or not set(parts.library) <= _PLAIN_BASES:
        return False
    if any(name in links.stores(body) for name in _TELLING):
        return False
    if any(name not in _PLAIN_DECORATORS for name, _ in decorators_of(links, body)):
        return False
    if len(parts.decorators) != len(list(decorators_of(links, body))):
        return False
    return not any(_registers(function, body.name) for one in modules for function in one.functions)


def _registers(function: Function, name: str) -> bool:
    """`register_dataclass(State, ...)`: is the class given to anything at all?"""
    made: dict[Register, Instruction] = {i[1]: i for i in steps_of(function)}
    for i in steps_of(function):
        if i[0] != "call":
            continue
        for _, register in (*i[3], *i[4]):
            given = made.get(register)
            if given is None or given[0] not in ("load", "attr"):
                continue
            word = given[2] if given[0] == "load" else given[3]
            if word == name:
                return True
    return False
