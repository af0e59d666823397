"""What an object carries from call to call of its methods, and does not save (floor `program`).

A class that has a method which saves some of its attributes, and one which puts these back: the
others that its methods renew begin again. Under-approximates: keys, states of optimizers and
counters are known by what `__init__` gives them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from gotcha_lint.program.carried_state import (
    COUNTER,
    KEY,
    OBJECT,
    OPTIMIZER,
    SHOWS,
    Carried,
    Code,
    Saved,
    held_kind,
)
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Span

_MATTERS = frozenset((KEY, OPTIMIZER, OBJECT))


def unsaved_fields(
    method: Function, saves: Mapping[Span, Saved], restores: Collection[Span]
) -> tuple[Span | None, list[Carried]]:
    """The first save of a method, and what its object carries beside that.

    `restores`: the calls in other methods that read a checkpoint; without these, optimizers alone.
    Nothing where the object as a whole is saved, or nothing is renewed, saved and put back.
    """
    cls = method.parent
    if cls is None or not cls.is_class or not method.parameters:
        return None, []
    me = method.parameters[0].name
    saved = _saved(Code.of(method), method, saves)
    if me in saved:
        return None, []
    own = {name.split(".")[1] for name in saved if name.startswith(f"{me}.")}
    methods = [i[2] for i in cls.body if i[0] == "closure" and i[2].parameters]
    made = _begins(methods)
    objects = {name for name, one in made.items() if one.kind == OBJECT}
    renewed, back, asked = set[str](), set[str](), set[str]()
    for each in methods:
        if each.name == "__init__":
            continue
        code = Code.of(each)
        asked |= set(_asked(code, each))
        if any(step[0] == "call" and step[-1] in restores for step in steps_of(each)):
            back |= {name for name, _ in _stores(code, each)}
            back |= {name for _, given in _calls(code, each) for name in given}
            continue
        renewed |= set(_renewed(code, each))
        for callee, given in _calls(code, each):
            if objects & given or (callee[-1:] == ("update",) and objects & set(callee[1:2])):
                renewed |= given | (objects & set(callee[1:2]))
    if not renewed & own or (restores and not renewed & own & back):
        return None, []
    lost = [
        Carried(one.name, OPTIMIZER, one.made) if one.kind == OBJECT else one
        for name, one in made.items()
        if name in renewed - own - back and (one.kind in _MATTERS or name in asked)
    ]
    if not restores:
        lost = [one for one in lost if one.kind == OPTIMIZER]
    return min(saves), sorted(lost, key=lambda one: one.name)


def _begins(methods: list[Function]) -> dict[str, Carried]:
    """What `__init__` gives the attributes: keys, optimizers and numbers."""
    made: dict[str, Carried] = {}
    for method in methods:
        if method.name != "__init__":
            continue
        code = Code.of(method)
        for name, step in _stores(code, method):
            kind = COUNTER if code.is_number(step[4]) else held_kind(code, step[4], 0)
            if kind:
                path = f"{method.parameters[0].name}.{name}"
                made[name] = Carried(path, kind, step[-1])
    return made


def _renewed(code: Code, method: Function) -> Iterator[str]:
    """The attributes that are bound to what is made of their old values."""
    for name, step in _stores(code, method):
        path = f"{method.parameters[0].name}.{name}"
        if code.takes(step[4], path) or _counts(code, step[4], name):
            yield name


def _calls(code: Code, method: Function) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """The dotted names of what is called, and the attributes of the object that it is given."""
    me = method.parameters[0].name
    for step in steps_of(method):
        if step[0] == "call":
            words = [code.words(register) for _, register in (*step[3], *step[4])]
            yield code.words(step[2]), {w[1] for w in words if len(w) == 2 and w[0] == me}


def _saved(code: Code, method: Function, saves: Mapping[Span, Saved]) -> set[str]:
    found = set[str]()
    for step in steps_of(method):
        if step[0] == "call" and step[-1] in saves:
            found |= code.names(code.given_to(step, saves[step[-1]]), ())
    return found


def _stores(code: Code, method: Function) -> Iterator[tuple[str, Instruction]]:
    """The attributes of the object that a method binds."""
    me = method.parameters[0].name
    for step in steps_of(method):
        if step[0] == "setattr" and code.words(step[2]) == (me,):
            yield step[3], step


def _counts(code: Code, register: object, name: str) -> bool:
    """`self.count += 1`"""
    step = code.made.get(register)
    if step is None or step[0] not in ("augment", "binop") or step[2] != "Add":
        return False
    return code.is_number(step[4]) and code.words(step[3])[1:] == (name,)


def _asked(code: Code, method: Function) -> Iterator[str]:
    """Attributes on which something depends that is not only shown."""
    for step in steps_of(method):
        registers: list[object] = []
        if step[0] == "binop" and step[2] == "Mod":
            registers = [step[3]]
        elif step[0] == "compare":
            registers = [*step[3:5]]
        elif step[0] == "call" and code.words(step[2])[-1:] not in SHOWS:
            registers = [register for _, register in (*step[3], *step[4])]
        for register in registers:
            words = code.words(register)
            if len(words) == 2 and words[0] == method.parameters[0].name:
                yield words[1]
