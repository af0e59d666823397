"""Is a variable only an operand of what JAX computes (must, floor `program`)?

Such a number needs no program of its own: it could be an argument that is traced. What follows from
it is followed, too, through names and calls; a test, an index, a size, a text, or a call of
something unknown ends the search with no.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator

from gotcha_lint.program.data_flow import steps_of, used_registers
from gotcha_lint.program.data_use import Sizes, dotted_ends, filled_by, hops_to, libraries_of
from gotcha_lint.program.ir import Function, Instruction

_DEPTH = 4  # calls that hand the variable on
_METADATA = frozenset(("shape", "dtype", "ndim", "size"))
_TESTS = frozenset(("Is", "IsNot", "In", "NotIn"))


def is_only_operand(
    owner: Function, name: str, functions: Collection[Function], sizes: Sizes
) -> bool:
    """Is it one in each of these functions that reads it? False where no use shows it."""
    uses = list(_of_variable(owner, name, functions, sizes, _DEPTH))
    return bool(uses) and all(uses)


def _of_variable(
    owner: Function, name: str, functions: Collection[Function], sizes: Sizes, depth: int
) -> Iterator[bool]:
    """The uses in the function itself, and in the functions within."""
    for function in {owner, *functions}:
        for hops in (0,) if function is owner else hops_to(function, owner):
            yield from _uses(function, {(name, hops)}, functions, sizes, depth)


def _uses(
    function: Function,
    names: set[tuple[str, int]],
    functions: Collection[Function],
    sizes: Sizes,
    depth: int,
) -> Iterator[bool]:
    held: set[Hashable] = set()
    made: dict[Hashable, Instruction] = {i[1]: i for i in steps_of(function)}
    for i in steps_of(function):
        operation = i[0]
        if operation == "load":
            held |= {i[1]} if (i[2], i[3]) in names else set()
        elif held.isdisjoint(_read(i)):
            continue
        elif operation in ("binop", "augment"):
            held.add(i[1])
            yield True
        elif operation == "store":
            names.add((i[2], i[3]))
            yield from () if i[3] == 0 and i[2] not in function.captured else (False,)
        elif operation == "call":
            held.add(i[1])
            yield from _given(function, i, held, made, functions, sizes, depth)
        elif operation == "unpack":
            held.update(i[3])
        elif operation == "attr":
            held |= {i[1]} if i[3] not in _METADATA else set()
        elif _passes_on(i, held):
            held.add(i[1])
        elif operation != "return":
            yield False


def _read(i: Instruction) -> set[Hashable]:
    """The registers that an instruction reads; of a statement, its test or what it goes over."""
    if i[0] == "closure":
        return {default for _, default in i[3]}
    if i[0] == "while":
        return {i[3]}
    return {i[2]} if i[0] in ("return", "yield", "if", "for", "assert") else used_registers(i)


def _passes_on(i: Instruction, held: Collection[Hashable]) -> bool:
    """Is the result an operand as well, and is nothing asked that must be known?"""
    if i[0] == "unop":
        return i[2] != "Not"
    if i[0] == "compare":
        return i[2] not in _TESTS
    return i[0] in ("build", "dict") or (i[0] == "item" and i[3] not in held)


def _given(
    function: Function,
    call: Instruction,
    held: Collection[Hashable],
    made: dict[Hashable, Instruction],
    functions: Collection[Function],
    sizes: Sizes,
    depth: int,
) -> Iterator[bool]:
    callee = made.get(call[2])
    if call[2] in held and (callee is None or callee[0] != "attr"):
        yield False  # it is called
    given = [n for n, (_, register) in enumerate(call[3]) if register in held]
    words = [word for word, register in call[4] if register in held]
    if not given and not words:
        return
    root, last = dotted_ends(made, call[2])
    if root in libraries_of(function, "jax"):
        yield set(given).isdisjoint(sizes.get(last, ())) and None not in words
        return
    others = [other for other in functions if other.name == last and depth]
    if not others or any(star for star, _ in call[3]) or None in words:
        yield False
        return
    for other in others:
        for name in sorted({name for name, _ in filled_by(other, given, False)} | {*words}):
            yield from _of_variable(other, str(name), functions, sizes, depth - 1)
