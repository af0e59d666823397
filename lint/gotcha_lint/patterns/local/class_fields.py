"""Class attributes that are no fields, and defaults of defaults (floor `patterns`; must).

Of classes whose annotated names are the parameters of a constructor that Python writes: dataclasses
and modules. Under-approximates: a class with a base that is not known counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import operands_below, steps_of
from gotcha_lint.program.ir import Function, Instruction, Span
from gotcha_lint.program.links import Links

_MAKE_FIELDS = frozenset(
    ("flax.linen.Module", "flax.struct.PyTreeNode", "equinox.Module", "typing.NamedTuple",
     "flax.training.train_state.TrainState")
)  # fmt: skip
_ADD_NONE = frozenset(("typing.Generic", "abc.ABC", "builtins.object", "typing.Protocol"))
_VALUES = frozenset(("const", "unop", "binop", "build", "dict"))
_NO_FIELDS = ("ClassVar", "Final", "InitVar", "KW_ONLY")
_AFTER_INIT = frozenset(("__post_init__", "__init__", "__new__", "setup"))


@dataclass(frozen=True, slots=True)
class NoField:
    """`field`: the field of a base that it is meant to change, if there is one.

    `between`: it stands among fields.
    """

    span: Span
    name: str
    of_class: str
    field: tuple[Function, Span] | None
    between: bool


@dataclass(frozen=True, slots=True)
class DerivedDefault:
    """`given`: a call of the file that changes `source` and leaves `name` as it is."""

    span: Span
    name: str
    source: str
    given: tuple[str, Span] | None


def has_fields(links: Links, body: Function) -> bool:
    """Does Python make parameters of a constructor of its annotated names?"""
    lineage = links.lineage(body)
    if lineage is None or not body.is_class:
        return False
    library = {name for _, parts in lineage for name in parts.library}
    if not library <= _MAKE_FIELDS | _ADD_NONE:
        return False
    return bool(library & _MAKE_FIELDS) or "dataclass" in lineage[0][1].decorators


def attributes_without_field(links: Links, body: Function) -> Iterator[NoField]:
    """`width = 3` in a class whose other attributes have annotations."""
    steps, fields = list(body.body), _fields(body)
    named = {i[2] for i in steps_of(body) if i[0] == "field"}
    inherited = _inherited(links, body)
    makes_fields = has_fields(links, body)
    if not makes_fields and not inherited:
        return
    for i in steps:
        if i[0] != "store" or i[3] != 0 or i[2] in named or i[2].startswith("_"):
            continue
        made = links.makers(body).get(i[4])
        if made is None or len(links.stores(body)[i[2]]) > 1:
            continue
        overridden = inherited.get(i[2])
        if made[0] not in _VALUES and not (overridden is not None and made[0] in ("attr", "load")):
            continue
        if overridden is not None:
            yield NoField(i[-1], i[2], body.name, overridden, False)
        elif makes_fields and len(fields) > 1 and not i[2].isupper():
            places = [each[-1][0] for each in fields]
            between = min(places) < i[-1][0] < max(places)
            yield NoField(i[-1], i[2], body.name, None, between)


def _fields(body: Function) -> list[Instruction]:
    return [
        i for i in steps_of(body)
        if i[0] == "field" and not any(word in i[4] for word in _NO_FIELDS)
    ]  # fmt: skip


def _inherited(links: Links, body: Function) -> dict[str, tuple[Function, Span]]:
    """The fields with a default of the bases, where a constructor sets them all."""
    found: dict[str, tuple[Function, Span]] = {}
    lineage = links.lineage(body)
    if lineage is None or any("typing.NamedTuple" in parts.library for _, parts in lineage):
        return found
    if any({"__init__", "__new__"} & set(links.stores(one)) for one, _ in lineage):
        return found
    for base, _ in reversed(lineage[1:]):
        if not has_fields(links, base):
            return {}
        for field in _fields(base):
            if field[3]:
                found[field[2]] = base, field[-1]
    return found


def derived_defaults(links: Links, body: Function) -> Iterator[DerivedDefault]:
    """`floor: float = 0.1 * rate`, where `rate` is a field that a caller may give."""
    if not has_fields(links, body):
        return
    with_default = {i[2] for i in _fields(body) if i[3]}
    written = _written_later(links, body)
    for field in _fields(body):
        name, registers = field[2], links.stores(body).get(field[2], [])
        if name in written or name.startswith("_") or name.isupper() or len(registers) != 1:
            continue
        loads = [
            i[2] for i in operands_below(body, registers[0])
            if i[0] == "load" and i[3] == 0 and i[2] in with_default
        ]  # fmt: skip
        for source in dict.fromkeys(each for each in loads if not each.isupper()):
            yield DerivedDefault(field[-1], name, source, _gives(links, body, source, name))


def _written_later(links: Links, body: Function) -> set[str]:
    """The attributes that its constructor, or what this calls, may compute."""
    found: set[str] = set()
    for i in steps_of(body):
        if i[0] != "closure" or i[2].name not in _AFTER_INIT:
            continue
        for step in steps_of(i[2]):
            if step[0] == "setattr":
                found.add(step[3])
            elif step[0] == "const" and isinstance(step[2], str):
                found.add(step[2])  # `object.__setattr__(self, "floor", ...)`
    return found


def _gives(links: Links, body: Function, source: str, name: str) -> tuple[str, Span] | None:
    """A call in the file of the class that gives the one and not the other."""
    for function in links.bodies(links.finder.modules[body.path]):
        for i in steps_of(function):
            if i[0] != "call" or source not in dict(i[4]) or {name, None} & dict(i[4]).keys():
                continue
            link = links.of_register(function, i[2])
            if link is not None and link.kind == "class" and link.function is body and not i[3]:
                return function.path, i[-1]
    return None
