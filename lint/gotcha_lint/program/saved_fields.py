"""A class that saves itself as a dict of its fields and loads it again (floor `program`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Span

_FEWEST = 2  # fields that make a dict a checkpoint


@dataclass(frozen=True, slots=True)
class SavedFields:
    """`saved`: the fields in the dict that a method returns at `span`; `loaded`: where a method
    puts such a dict back with `self.replace(**data)`; `fields`: with their annotations.
    """

    method: Function
    span: Span
    saved: frozenset[str]
    loaded: Span
    fields: tuple[tuple[str, str], ...]


def saved_fields(cls: Function) -> SavedFields | None:
    """The method of a class that returns some of its fields in a dict, where one takes it back."""
    methods = [i[2] for i in cls.body if i[0] == "closure"]
    loaded = next((span for method in methods for span in _replacements(method)), None)
    if loaded is None:
        return None
    fields = tuple((i[2], i[4]) for i in cls.body if i[0] == "field")
    names = {name for name, _ in fields}
    for method in methods:
        for span, saved in _dicts(method):
            if len(saved & names) >= _FEWEST and saved <= names:
                return SavedFields(method, span, saved, loaded, fields)
    return None


def _replacements(method: Function) -> Iterator[Span]:
    """`self.replace(**data)`"""
    made = _made(method)
    for step in made.values():
        if step[0] != "call" or step[3] or not any(name is None for name, _ in step[4]):
            continue
        if _attribute_of_self(method, made, step[2]) == "replace":
            yield step[-1]


def _dicts(method: Function) -> Iterator[tuple[Span, frozenset[str]]]:
    """What it returns as a dict of `self.a`, `self.b`, ..., and of nothing else."""
    made = _made(method)
    for step in steps_of(method):
        built = made.get(step[2]) if step[0] == "return" else None
        if built is None or built[0] != "dict":
            continue
        found = [_attribute_of_self(method, made, value) for _, value in built[2]]
        if found and None not in found:
            yield step[-1], frozenset(str(name) for name in found)


def _made(method: Function) -> dict[object, Instruction]:
    return {i[1]: i for i in steps_of(method) if isinstance(i[1], int)}


def _attribute_of_self(
    method: Function, made: dict[object, Instruction], register: object
) -> str | None:
    step = made.get(register)
    base = made.get(step[2]) if step is not None and step[0] == "attr" else None
    me = method.parameters[0].name if method.parameters else ""
    if step is None or base is None or base[0] != "load" or base[2] != me:
        return None
    return step[3]
