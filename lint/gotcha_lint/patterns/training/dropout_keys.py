"""Keys from which no number is drawn: for dropout, where no model trains (floor `patterns`).

By the uses of a value in one function; it under-approximates: whatever else takes the value, or may
say that the model trains, counts as a draw.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.flags import FLAGS, TRAIN
from gotcha_lint.program.data_flow import steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Register

_DEPTH = 6  # calls that the value goes through, as in `key(int(time()))`


def is_only_for_dropout(top: Function, function: Function, register: Register) -> bool:
    """Does it end only in `apply(..., rngs={"dropout": key})` of no training?"""
    return not _trains_by_default(top) and _ends_in_dropout(function, register, 0)


def _ends_in_dropout(function: Function, register: Register, depth: int) -> bool:
    uses = [i for i in steps_of(function) if register in used_registers(i)]
    if depth >= _DEPTH or not uses:
        return False
    return all(_is_end(function, i, register, depth) for i in uses)


def _is_end(function: Function, i: Instruction, register: Register, depth: int) -> bool:
    if i[0] == "store" and i[3] == 0 and i[2] not in function.captured:
        loads = [s[1] for s in steps_of(function) if s[0] == "load" and s[2:4] == (i[2], 0)]
        return bool(loads) and all(_ends_in_dropout(function, each, depth + 1) for each in loads)
    if i[0] == "dict":
        return _is_dropout_alone(function, i)
    is_argument = i[0] == "call" and i[2] != register and not i[4]
    return is_argument and _ends_in_dropout(function, i[1], depth + 1)


def _is_dropout_alone(function: Function, made: Instruction) -> bool:
    """`rngs={"dropout": key}`, of a call that says nothing of training."""
    makers = {i[1]: i for i in steps_of(function)}
    names = [makers.get(key, ("",)) for key, _ in made[2] if key is not None]
    if len(names) != len(made[2]) or any(i[0] != "const" or i[2] != "dropout" for i in names):
        return False
    uses = [i for i in steps_of(function) if made[1] in used_registers(i)]
    return bool(uses) and all(
        i[0] == "call" and ("rngs", made[1]) in i[4] and not _may_train(makers, i) for i in uses
    )


def _may_train(makers: dict[Register, Instruction], call: Instruction) -> bool:
    """May an argument, or one of those that the model is made with, be a flag that says so?"""
    method = makers.get(call[2])
    made = makers.get(method[2]) if method is not None and method[0] == "attr" else None
    calls = [call, *([made] if made is not None and made[0] == "call" else [])]
    return any(_tells(makers, each) for each in calls)


def _tells(makers: dict[Register, Instruction], call: Instruction) -> bool:
    def constant(register: Register) -> object:
        i = makers.get(register)
        return i[2] if i is not None and i[0] == "const" else None

    if any(star for star, _ in call[3]) or any(name is None for name, _ in call[4]):
        return True
    if any(isinstance(constant(register), bool) for _, register in call[3]):
        return True
    return any(
        name in FLAGS and constant(register) is not (not TRAIN[name] if name in TRAIN else True)
        for name, register in call[4]
    )


def _trains_by_default(top: Function) -> bool:
    """A model of this file does, and which one is applied here need not be known."""
    return any(
        value is TRAIN.get(name, ...)
        for i in steps_of(top)
        for name, value in (_defaults(i[2]) if i[0] == "class" else ())
    )


def _defaults(body: Function) -> Iterator[tuple[str, object]]:
    """Of the fields of a class, and of the parameters of its `__call__`."""
    constants = {i[1]: i[2] for i in steps_of(body) if i[0] == "const"}
    for i in steps_of(body):
        if i[0] == "store" and i[4] in constants:
            yield i[2], constants[i[4]]
        elif i[0] == "closure" and i[2].name == "__call__":
            yield from ((name, constants.get(register)) for name, register in i[3])
