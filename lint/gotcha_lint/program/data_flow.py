"""What flows where in one function (floor `program`): from its parameters, and to its result.

Without the order of the instructions: what is written to a name once may be in it everywhere.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from gotcha_lint.program.ir import Function, Instruction, Module, Region, Register, Span

_TURNS = 6  # through names that are read before they are written


def instructions(code: Region) -> Iterator[Instruction]:
    """All instructions of a region, and of the regions within."""
    for instruction in code:
        yield instruction
        for part in instruction:
            if isinstance(part, list) and part:
                for region in part if isinstance(part[0], list) else [part]:
                    yield from instructions(region)


def steps_of(function: Function) -> tuple[Instruction, ...]:
    """All instructions of a function, those of inner functions apart; kept with it."""
    if function.steps is None:
        function.steps = tuple(instructions(function.body))
    return function.steps


def uncaught(code: Region) -> Iterator[Instruction]:
    """Those outside of the bodies of `try` whose errors are caught."""
    for i in code:
        yield i
        if i[0] not in _WITH_REGIONS:
            continue
        if i[0] == "try":
            _, _, body, handlers, otherwise, final, _ = i
            regions = [*([] if handlers else [body]), *handlers, otherwise, final]
        else:
            regions = [part for part in i if isinstance(part, list)]
        for region in regions:
            yield from uncaught(region)


_WITH_REGIONS = frozenset(("if", "for", "while", "try"))


def bodies(module: Module) -> Iterator[Function]:
    """The functions of a module, the module itself, and the bodies of classes."""
    for function in module.functions:
        yield function
        yield from _classes(function)


def _classes(function: Function) -> Iterator[Function]:
    for i in steps_of(function):
        if i[0] == "class":
            yield i[2]
            yield from _classes(i[2])


def names_used(function: Function) -> set[str]:
    """Its own name, and those of the variables and attributes that it reads."""
    code = steps_of(function)
    read = {i[2] if i[0] == "load" else i[3] for i in code if i[0] in ("load", "attr")}
    return {function.name, *read}


def reads_name(code: Any, name: str) -> bool:
    """Does the code, or that of a function within, load the name?"""
    for part in code:
        if isinstance(part, Function):
            if reads_name(part.body, name):
                return True
        elif isinstance(part, (list, tuple)) and part:
            if part[0] == "load" and part[2] == name:
                return True
            if reads_name(part, name):
                return True
    return False


_WORLD = frozenset(("print", "open", "input", "next", "tqdm", "trange"))
_OF_WORLD = frozenset(("item", "tolist", "info", "log", "time", "perf_counter", "write", "save"))


def acts_on_world(function: Function) -> bool:
    """Does it print, read, log or look at the clock, so that nothing compiles it?"""
    return any(
        (i[0] == "load" and i[2] in _WORLD) or (i[0] == "attr" and i[3] in _OF_WORLD)
        for i in steps_of(function)
    )


def operands_below(function: Function, register: Hashable) -> Iterator[Instruction]:
    """The instructions below a register, its own first; names are not followed."""
    made = {i[1]: i for i in steps_of(function)}
    todo, seen = [register], set[Hashable]()
    while todo:
        i = made.get(todo.pop())
        if i is not None and i[1] not in seen:
            seen.add(i[1])
            yield i
            todo += [each for each in used_registers(i) if isinstance(each, int)]


def has_loop(function: Function) -> bool:
    """A `for` or `while` statement; a comprehension is none."""
    return any(i[0] == "while" or (i[0] == "for" and not i[6]) for i in steps_of(function))


def given_by_caller(function: Function) -> set[Hashable]:
    """Registers and names that hold something of what the parameters hold, the receiver apart."""
    return _reached(function, {p.name for p in function.parameters} - {"self", "cls"})


def argument_of_call(
    function: Function, span: Span, index: int, name: str
) -> tuple[Span, Instruction | None] | None:
    """Where an argument of the call at `span` is written, and the instruction that it calls.

    None where it is not given by itself.
    """
    made = {i[1]: i for i in steps_of(function)}
    for i in made.values():
        if i[0] == "call" and i[-1] == span:
            given = i[3][index][1] if index < len(i[3]) else dict(i[4]).get(name)
            argument = made.get(given) if given is not None else None
            return None if argument is None else (argument[-1], made.get(i[2]))
    return None


def words_of(function: Function, register: Register) -> str:
    """`state.params`, as it is written; "" for what is no name."""
    made = next((i for i in steps_of(function) if i[1] == register), None)
    if made is None or made[0] not in ("attr", "load"):
        return ""
    if made[0] == "load":
        return made[2].partition("%")[0]
    base = words_of(function, made[2])
    return f"{base}.{made[3]}" if base else ""


def operands_of_call(function: Function, span: Span) -> set[Hashable]:
    """The registers of a call: what is called, and its arguments."""
    for instruction in steps_of(function):
        if instruction[0] == "call" and instruction[-1] == span:
            return used_registers(instruction)
    return set()


def maps_data(function: Function, makes: Span, span: Span) -> bool:
    """Does the call at `span` call what the call at `makes` gave, on what the function is given?

    And is its result returned, or stored in an object, as the next state is?

    Such a function is one that its users call for each of their inputs.
    """
    given = given_by_caller(function)
    targets = [i[1] for i in steps_of(function) if i[0] == "call" and i[-1] == makes]
    made = _reached(function, targets)
    for instruction in steps_of(function):
        if instruction[0] == "call" and instruction[-1] == span:
            _, target, callee, args, keywords, _ = instruction
            inputs = {register for _, register in (*args, *keywords)}
            if inputs & given and callee in made and callee not in given:
                goes_on = _returned(function) | _stored(function)
                return bool(goes_on & _reached(function, (target,)))
    return False


def is_kept(function: Function, makes: Span) -> bool:
    """Does what the call at `makes` gave outlive the function (may), or is it given to another?"""
    held: set[Hashable] = {i[1] for i in steps_of(function) if i[0] == "call" and i[-1] == makes}
    for _ in range(_TURNS):
        before = len(held)
        for i in steps_of(function):
            if i[0] in ("load", "store") and used_registers(i) & held:
                held |= _written(i)
        if len(held) == before:
            break
    return any(held & _handed_on(i) for i in steps_of(function))


def _handed_on(instruction: Instruction) -> set[Hashable]:
    """What an instruction returns, stores outside of the function's names, or passes on."""
    if instruction[0] in ("setattr", "setitem", "append", "build", "dict"):
        return used_registers(instruction)
    if instruction[0] in ("return", "yield"):
        return {instruction[2]}
    if instruction[0] == "call":
        return used_registers(instruction) - {instruction[2]}
    return set()


def is_lost(function: Function, span: Span) -> bool:
    """The call at `span` is of a method of a parameter, of which nothing is in the result."""
    made = {i[1]: i for i in steps_of(function) if i[0] in ("load", "attr", "call")}
    for instruction in made.values():
        if instruction[0] == "call" and instruction[-1] == span:
            method = made.get(instruction[2])
            base = made.get(method[2]) if method is not None and method[0] == "attr" else None
            name = base[2] if base is not None and base[0] == "load" else None
            if name in {p.name for p in function.parameters}:
                return not _returned(function) & _reached(function, (name,))
    return False


def _reached(function: Function, start: Iterable[Hashable]) -> set[Hashable]:
    """Registers and names that hold something of what these hold."""
    found = set(start)
    for _ in range(_TURNS):
        before = len(found)
        for instruction in steps_of(function):
            if used_registers(instruction) & found:
                found |= _written(instruction)
        if len(found) == before:
            break
    return found


_EFFECTS = {  # of each operation that does more than give a value: where its operands stand
    "return": (2,),
    "yield": (2,),
    "yieldfrom": (2,),
    "await": (2,),
    "discard": (2,),
    "raise": (2,),
    "assert": (2,),
    "if": (2,),
    "while": (3,),
    "enter": (2,),
    "setattr": (4,),
    "setitem": (3, 4),
    "augment": (3, 4),
}


def matters(function: Function, name: str) -> bool:
    """May what the name holds change a result, a test or an object? Where it is not known, it may.

    What is computed of it and given to names that nothing reads does not.
    """
    found = _reached(function, {name})
    if found != _reached(function, found):
        return True
    names = [each for each in found if isinstance(each, str)]
    for i in steps_of(function):
        if any(i[place] in found for place in _EFFECTS.get(i[0], ())):
            return True
        inner = i[2] if i[0] in ("closure", "class") else None
        if inner is not None and any(reads_name(inner.body, each) for each in names):
            return True
    return False


def _returned(function: Function) -> set[Hashable]:
    code = steps_of(function)
    return {i[2] for i in code if i[0] in ("return", "yield") and i[2] is not None}


def _stored(function: Function) -> set[Hashable]:
    return {i[4] for i in steps_of(function) if i[0] == "setattr"}


def decorators(function: Function) -> set[str]:
    """The names that are called with it where it is made; "" for what has none."""
    if function.parent is None or function.first in (0, function.line):
        return set()
    code = list(steps_of(function.parent))
    names = {i[1]: i[2] if i[0] == "load" else i[3] for i in code if i[0] in ("load", "attr")}
    held: set[Hashable] = {i[1] for i in code if i[0] == "closure" and i[2] is function}
    found: set[str] = set()
    for i in code:
        if i[0] == "call" and any(register in held for _, register in i[3]):
            held.add(i[1])
            found.add(names.get(i[2], ""))
    return found


_OPERANDS = {  # of each operation: where its operands stand, that are one register or name each
    "load": (2,),
    "store": (4,),
    "setattr": (4,),
    "setitem": (4,),
    "attr": (2,),
    "binop": (3, 4),
    "compare": (3, 4),
    "augment": (3, 4),
    "unop": (3,),
    "append": (3,),
    "item": (2, 3),
    "slice": (2, 3, 4),
    "unpack": (2,),
    "for": (2,),
    "enter": (2,),
    "await": (2,),
    "yieldfrom": (2,),
}


def used_registers(instruction: Instruction) -> set[Hashable]:
    """The registers, and of some operations the names, that an instruction reads."""
    operation = instruction[0]
    if operation == "call":
        _, _, callee, args, keywords, _ = instruction
        return {callee, *(register for _, register in (*args, *keywords))}
    if operation == "build":
        return {register for _, register in instruction[3]}
    if operation == "dict":
        return {register for _, register in instruction[2]}
    if operation == "fstr":
        return set(instruction[2])
    return {instruction[place] for place in _OPERANDS.get(operation, ())}


def _written(instruction: Instruction) -> set[Hashable]:
    operation = instruction[0]
    if operation == "unpack":
        return set(instruction[3])
    if operation == "for":
        return {instruction[3]}
    if operation in ("store", "setattr", "setitem", "append"):
        return {instruction[2]}
    return {instruction[1]}
