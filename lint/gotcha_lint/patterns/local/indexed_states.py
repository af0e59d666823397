"""`state["params"]` of an object that has fields and no items (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gotcha_lint.facts.classes import DATACLASS_DECORATORS, NAMED_TUPLE
from gotcha_lint.facts.fields import TRAIN_STATE_FIELDS
from gotcha_lint.patterns.constructors import decorators
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import ClassParts, Link, Links
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import dotted, spelled

_TRAIN_STATE = "flax.training.train_state.TrainState"
_UPDATES = frozenset(("replace", "_replace", "_asdict", "apply_gradients", "apply_fn"))
# By a name they all raise TypeError; `chex.dataclass` makes a mapping of a class.
_STATES = frozenset(("flax.struct.PyTreeNode", "equinox.Module", NAMED_TUPLE))
_PLAIN = frozenset(("builtins.object", "typing.Generic", "abc.ABC", "typing.Protocol"))
_MAKERS = DATACLASS_DECORATORS - {"chex.dataclass", "brax.base.dataclass"}
_REGISTERS = frozenset(
    ("jax.tree_util.register_dataclass", "jax.tree_util.register_pytree_node_class",
     "functools.partial", "typing.final")
)  # fmt: skip
_ITEMS = ("__getitem__", "__setitem__")


@dataclass(frozen=True)
class IndexedState:
    """`written`: to its field, not read."""

    span: Span
    owner: str
    of: str
    field: str
    written: bool


def indexed_states(origins: Origins, function: Function) -> Iterator[IndexedState]:
    """Those of one function whose class is sure: they are made here, or used as one of it.

    An annotation alone may tell of another class than the one that comes.
    """
    makers, links = origins.links.makers(function), origins.links
    written = {i[-1] for i in steps_of(function) if i[0] == "setitem"}
    for i in steps_of(function):
        key = makers.get(i[3]) if i[0] in ("item", "setitem") else None
        if key is None or key[0] != "const" or not isinstance(key[2], str):
            continue
        owner = dotted(makers, i[2])
        found = _struct(origins, function, i[2]) if owner else None
        if found is None or key[2] not in found[1]:
            continue
        name, fields, is_made = found
        sure = is_made or _is_used_as(links, _outermost(function), owner, fields | _UPDATES)
        if not sure or _asks_its_type(links, function, owner) or origins.is_attempted(function, i):
            continue
        yield IndexedState(i[-1], spelled(makers, i[2]), name, key[2], i[-1] in written)


def _struct(
    origins: Origins, function: Function, register: Register
) -> tuple[str, frozenset[str], bool] | None:
    """The name of the class, its fields, and whether the object is made here."""
    links = origins.links
    link = links.of_register(function, register)
    if link is None:
        made = origins.library(function, register)
        return ("TrainState", TRAIN_STATE_FIELDS, False) if made == _TRAIN_STATE else None
    if link.kind != "instance":
        return None
    body = link.function
    lineage = links.lineage(body) or []
    if any(links.in_class(body, name) is not None for name in _ITEMS) or _has_items(links, link):
        return None
    own = frozenset(i[2] for each, _ in lineage for i in steps_of(each) if i[0] == "field")
    if any(_TRAIN_STATE in parts.library for _, parts in lineage):
        return body.name, own | TRAIN_STATE_FIELDS, not link.annotated
    known = all(_has_fields_alone(links, each, parts) for each, parts in lineage)
    return (body.name, own, not link.annotated) if known and _is_one(links, lineage) else None


def _has_fields_alone(links: Links, body: Function, parts: ClassParts) -> bool:
    """Is all known that may give it items?"""
    made_by = {name for name, _ in decorators(links, body)}
    return set(parts.library) <= _STATES | _PLAIN and made_by <= _MAKERS | _REGISTERS


def _is_one(links: Links, lineage: Iterable[tuple[Function, ClassParts]]) -> bool:
    """Something makes it a class of fields."""
    return any(
        not _STATES.isdisjoint(parts.library)
        or any(name in _MAKERS for name, _ in decorators(links, body))
        for body, parts in lineage
    )


def _has_items(links: Links, link: Link) -> bool:
    """May it be of a class that extends this one, and has them?"""
    for module in links.finder.modules.values():
        for body in links.bodies(module):
            if body.is_class and body is not link.function and not body.locals.isdisjoint(_ITEMS):
                lineage = links.lineage(body) or ()
                if any(each is link.function for each, _ in lineage):
                    return True
    return False


def _outermost(function: Function) -> Function:
    while function.parent is not None and not function.parent.is_module:
        if function.parent.is_class:
            break
        function = function.parent
    return function


def _inside(function: Function) -> Iterator[tuple[Function, Instruction]]:
    for i in steps_of(function):
        yield function, i
        if i[0] == "closure":
            yield from _inside(i[2])


def _is_used_as(links: Links, function: Function, owner: str, words: frozenset[str]) -> bool:
    return any(
        i[0] == "attr" and i[3] in words and dotted(links.makers(within), i[2]) == owner
        for within, i in _inside(function)
    )


def _asks_its_type(links: Links, function: Function, owner: str) -> bool:
    """`isinstance(state, dict)`; or the name gets another value in an expression."""
    makers = links.makers(function)
    return any(
        i[0] == "call"
        and dotted(makers, i[2]) == "isinstance"
        and i[3]
        and dotted(makers, i[3][0][1]) == owner
        for i in steps_of(function)
    )
