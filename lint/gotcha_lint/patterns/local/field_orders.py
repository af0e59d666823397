"""Fields that a call fills in another order than the class has them (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gotcha_lint.facts.fields import FIELDS
from gotcha_lint.patterns.constructors import constructor, named_tuple
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import Makers, dotted, spelled

_FEWEST = 2  # that can be exchanged
_BEFORE = ("new_", "next_", "updated_")
_AFTER = ("_new", "_next", "_inc", "_fn", "_")
# Functions that exchange on purpose what is alike.
_TURNS = ("swap", "transpose", "reverse", "flip", "invert", "inverse", "mirror", "exchange")


@dataclass(frozen=True)
class Exchanged:
    """`wrong`: what is put where; `places`: the argument that belongs to each, by their places."""

    span: Span
    called: str
    fields: tuple[str, ...]
    wrong: tuple[tuple[str, str], ...]
    places: tuple[tuple[int, int], ...]


def exchanged_fields(origins: Origins, function: Function) -> Iterator[Exchanged]:
    """The calls of one function."""
    makers = origins.links.makers(function)
    for i in steps_of(function):
        if i[0] != "call" or any(star for star, _ in i[3]):
            continue
        given = [register for _, register in i[3]]
        if sum(bool(_last_word(makers, one)) for one in given) < _FEWEST:
            continue
        fields = _fields_filled(origins, function, i)
        given = given[: len(fields)]
        meant = [_field_of(_last_word(makers, one), fields) for one in given]
        turn = _turn(meant, fields) if len(set(fields)) == len(fields) else []
        on_purpose = not turn or _on_purpose(function, makers, [given[place] for place in turn])
        if on_purpose or origins.is_attempted(function, i):
            continue
        at = {meant[place]: place for place in turn}
        wrong = tuple((spelled(makers, given[place]), fields[place]) for place in turn)
        places = tuple((place, at[fields[place]]) for place in turn)
        yield Exchanged(i[-1], spelled(makers, i[2]), fields, wrong, places)


def _last_word(makers: Makers, register: Register) -> str:
    return dotted(makers, register).rpartition(".")[2]


def _field_of(word: str, fields: Sequence[str]) -> str:
    """The field that a variable or an attribute is named after; empty where it is none."""
    if word in fields:
        return word if len(word) > 1 else ""
    bare = (word.removeprefix(one) for one in _BEFORE)
    bare = (*bare, *(word.removesuffix(one) for one in _AFTER))
    return next((one for one in bare if one in fields and len(one) > 1), "")


def _turn(meant: Sequence[str], fields: Sequence[str]) -> list[int]:
    """Places of which each holds what belongs to the next, and the last to the first."""
    belongs = {place: fields.index(name) for place, name in enumerate(meant) if name}
    for start in belongs if len(set(belongs.values())) == len(belongs) else ():
        turn = [start]
        while (after := belongs.get(turn[-1])) not in (None, *turn):
            turn.append(after)
        if len(turn) > 1 and after == start:
            return turn
    return []


def _on_purpose(function: Function, makers: Makers, values: Sequence[Register]) -> bool:
    """Two attributes of one object are exchanged, or the function says that it does that."""
    texts = [dotted(makers, value) for value in values]
    attributes = [text for text in texts if "." in text]
    owners = {text.rpartition(".")[0] for text in attributes}
    both = len(attributes) == len(values) == _FEWEST and len(owners) == 1
    return both or any(word in function.qualname.lower() for word in _TURNS)


def _fields_filled(origins: Origins, function: Function, call: Instruction) -> tuple[str, ...]:
    """Nothing where what is called is no such class, or its order is not known."""
    links = origins.links
    link = links.of_register(function, call[2])
    if link is not None:
        taken = constructor(links, link.function) if link.kind == "class" else None
        return tuple(each.name for each in taken or () if each.kind == "pos")
    known = FIELDS.get(origins.names.of_call(function, call))
    if known is not None:
        return known
    made = named_tuple(links, function, call[2])
    return tuple(each.name for each in made[1]) if made is not None else ()
