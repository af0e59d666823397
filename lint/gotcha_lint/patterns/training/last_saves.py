"""Loops that save every so many turns, with nothing that saves what the last turns made.

Floor `patterns`. What saves is known by its words (over-approximates: a function that is called
"save" may write something else), and a function that gives its state back is left out, as its
callers may save it. Must where the numbers of turns are written out, else may.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gotcha_lint.facts.checkpoints import SAVES
from gotcha_lint.program.data_flow import (
    instructions,
    names_used,
    operands_below,
    steps_of,
    used_registers,
)
from gotcha_lint.program.enclosing import Around, enclosing
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.spelled import spelled

_SAVING = ("save", "checkpoint", "ckpt", "serialise", "serialize", "snapshot", "store_model")
_NO_STATE = ("fig", "image", "img", "plot", "video", "sample", "gif", "metric", "config", "hist",
             "log", "result", "prediction", "restore", "load", "mesh", "best", "saver")  # fmt: skip
_PLOTS = frozenset(("plt", "fig", "figure", "image", "img", "im", "ax", "np", "jnp", "numpy"))
_TURNS = frozenset(("tqdm", "trange", "progress_bar", "track"))
_ORDERS = frozenset(("Lt", "LtE", "Gt", "GtE"))
_SAME = frozenset(
    ("device_get", "unreplicate", "state", "split", "map", "tree_map", "merge", "dict")
)
_STEPS = 8


@dataclass(frozen=True, slots=True)
class UnsavedEnd:
    """`span`: the test of the loop for a turn that saves. `ends`, `saved`: the number that is
    tested in the last turn, and in the last one that saves, where both are known."""

    span: Span
    tested: str
    every: str
    save: Span
    ends: int | None = None
    saved: int | None = None


def unsaved_ends(links: Links, module: Module, function: Function) -> Iterator[UnsavedEnd]:
    if function.is_class or not any(i[0] in ("for", "while") for i in steps_of(function)):
        return
    around = enclosing(function)
    saves = [i for i in steps_of(function) if _saves(links, function, i)]
    found = [(i, _turn(links, function, around, around[id(i)])) for i in saves]
    first = next((turn for _, turn in found if turn is not None), None)
    if first is None or any(turn is None or turn.test is not first.test for _, turn in found):
        return  # another place saves, too
    if _gives_back(links, function, found[0][0]) or _is_saved_elsewhere(links, module, function):
        return
    end = _last(links, function, first)
    every = _number(links, function, first.every)
    makers, save = links.makers(function), found[0][0]
    texts = spelled(makers, first.tested), spelled(makers, first.every)
    if end is None or not every or every < 1:
        if _counts_from_one(links, function, first):
            return
        yield UnsavedEnd(first.test[-1], *texts, save[-1])
    elif end % every:
        yield UnsavedEnd(first.test[-1], *texts, save[-1], end, end - end % every)


@dataclass(frozen=True, slots=True)
class _Turn:
    """`tested % every == 0`, asked in each turn of the loop."""

    test: Instruction
    tested: Register
    every: Register
    loop: Instruction


def _saves(links: Links, function: Function, i: Instruction) -> bool:
    if i[0] != "call":
        return False
    name = links.dotted(function, i[2])
    if name in SAVES:
        return not name.endswith("dumps")  # that may go anywhere
    makers = links.makers(function)
    callee = makers.get(i[2])
    if callee is None or callee[0] not in ("load", "attr"):
        return False
    word = callee[2 if callee[0] == "load" else 3].lower()
    if callee[0] == "attr":
        base = spelled(makers, callee[2]).lower().rpartition(".")[2]
        if base in _PLOTS or any(sign in base for sign in _NO_STATE[:6]):
            return False
    if word[:1].isupper() or any(sign in word for sign in _NO_STATE):
        return False
    return word == "save" or word.startswith(("save_", "_save", "write_ckpt", "write_checkpoint"))


def _turn(
    links: Links, function: Function, around: Mapping[int, tuple[Around, ...]],
    blocks: Sequence[Around],
) -> _Turn | None:  # fmt: skip
    """The test around a place that holds every so many turns of a loop around it."""
    makers = links.makers(function)
    for at, block in enumerate(blocks):
        if block.block[0] != "if" or block.part != 3:
            continue
        loops = [b.block for b in blocks[:at] if b.block[0] in ("for", "while")]
        for register in _conjuncts(links, function, around, block.block[2]):
            asked = _multiple(makers, register)
            improved = any(_orders(links, function, around, b) for b in blocks[at + 1 :])
            if asked is not None and loops and not improved:
                return _Turn(makers[register], *asked, loops[-1])
    return None


def _orders(
    links: Links, function: Function, around: Mapping[int, tuple[Around, ...]], block: Around
) -> bool:
    """A branch that asks whether a number is the best."""
    if block.block[0] != "if":
        return False
    makers = links.makers(function)
    asked = [makers.get(r) for r in _conjuncts(links, function, around, block.block[2])]
    return any(i is not None and i[0] == "compare" and i[2] in _ORDERS for i in asked)


def _conjuncts(
    links: Links, function: Function, around: Mapping[int, tuple[Around, ...]], register: Register
) -> list[Register]:
    """`a` and `b` of `a and b`; a test that is none stands for itself."""
    makers = links.makers(function)
    made = makers.get(register)
    if made is None or made[0] != "load" or not made[2].startswith("%"):
        return [register]
    found: list[Register] = []
    for i in steps_of(function):
        if i[0] == "store" and i[2] == made[2]:
            within = around[id(i)]
            if not within or within[-1].block[0] != "if":
                return []
            is_first = i[4] == within[-1].block[2]
            if is_first != (within[-1].part == 4):
                return []  # `a or b`
            found += _conjuncts(links, function, around, i[4])
    return found


def _multiple(
    makers: Mapping[Register, Instruction], register: Register
) -> tuple[Register, Register] | None:
    """`a % b == 0`, or `not a % b`: both."""
    made = makers.get(register)
    if made is not None and made[0] == "compare" and made[2] == "Eq":
        zero = makers.get(made[4])
        if zero is None or zero[0] != "const" or zero[2] != 0:
            return None
        register = made[3]
    elif made is not None and made[0] == "unop" and made[2] == "Not":
        register = made[3]
    else:
        return None
    made = makers.get(register)
    return (made[3], made[4]) if made is not None and made[:3:2] == ("binop", "Mod") else None


def _gives_back(links: Links, function: Function, save: Instruction) -> bool:
    """Does the function give what it saves to its callers, that they may save?"""
    if function.is_generator or function.is_module:
        return function.is_generator
    makers = links.makers(function)
    callee = makers.get(save[2])
    given = [register for _, register in (*save[3], *save[4])]
    given += [callee[2]] if callee is not None and callee[0] == "attr" else []
    saved = {i[2] for each in given for i in operands_below(function, each) if i[0] == "load"}
    for i in steps_of(function):
        if i[0] != "return" or i[2] is None:
            continue
        if i[2] not in makers or not saved.isdisjoint(_handed_on(links, function, i[2])):
            return True
    return False


def _handed_on(links: Links, function: Function, register: Register) -> set[str]:
    """The names of which a value is made, or holds a part; what a function computes is another."""
    makers, found, todo = links.makers(function), set[str](), [register]
    while todo:
        made = makers.get(todo.pop())
        if made is None:
            continue
        if made[0] == "load":
            found.add(made[2])
        elif made[0] != "call":
            todo += [each for each in used_registers(made) if isinstance(each, int)]
        else:
            word = links.word(function, made[2])
            if word[:1].isupper() or word in _SAME:
                todo += [each for _, each in (*made[3], *made[4])]
    return found


def _is_saved_elsewhere(links: Links, module: Module, function: Function) -> bool:
    """Does a function of the file save that also calls this one?"""
    return any(
        function.name in names_used(other) and any(_saves(links, other, i) for i in steps_of(other))
        for other in links.bodies(module)
        if other is not function and not _is_saver(other)
    )


def _is_saver(function: Function) -> bool:
    around: Function | None = function
    while around is not None and not around.is_module:
        name = around.name.lower()
        if any(sign in name for sign in _SAVING):
            return True
        around = around.parent
    return False


def _range(links: Links, function: Function, loop: Instruction) -> Instruction | None:
    """The call of `range` that a loop goes through, in a progress bar, or under a name."""
    makers = links.makers(function)
    made = makers.get(loop[2]) if loop[0] == "for" else None
    for _ in range(_STEPS):
        if made is not None and made[0] == "load" and made[3] == 0:
            stored = links.stores(function).get(made[2], [])
            made = makers.get(stored[0]) if len(stored) == 1 else None
        if made is None or made[0] != "call" or not made[3] or made[3][0][0]:
            return None
        if links.word(function, made[2]) in ("range", "trange"):
            return made
        if links.word(function, made[2]) not in _TURNS:
            return None
        made = makers.get(made[3][0][1])
    return None


def _counts_from_one(links: Links, function: Function, turn: _Turn) -> bool:
    """`range(1, steps + 1)`: code that saves at multiples takes one for the number of steps."""
    made = _range(links, function, turn.loop)
    if made is None or len(made[3]) < 2:
        return False
    end = links.makers(function).get(made[3][1][1])
    if end is None or end[:3:2] != ("binop", "Add"):
        return False
    return 1 in (_number(links, function, end[3]), _number(links, function, end[4]))


def _last(links: Links, function: Function, turn: _Turn) -> int | None:
    """What is tested in the last turn, where the range of the loop is written out."""
    made = _range(links, function, turn.loop)
    if made is None or any(star for star, _ in made[3]):
        return None
    if any(i[0] in ("break", "return") for i in instructions(turn.loop[4])):
        return None
    bounds = [_number(links, function, r) for _, r in made[3]]
    known = [bound for bound in bounds if bound is not None]
    if len(known) != len(bounds) or not 0 < len(known) < 4 or known[2:] == [0]:
        return None
    turns = range(*known)
    counter = [i[2] for i in instructions(turn.loop[4]) if i[0] == "store" and i[4] == turn.loop[3]]
    if not turns or len(counter) != 1:
        return None
    stored = [i for i in instructions(turn.loop[4]) if i[0] == "store" and i[2] == counter[0]]
    added = _added(links, function, turn.tested, counter[0])
    return turns[-1] + added if len(stored) == 1 and added is not None else None


def _added(links: Links, function: Function, register: Register, counter: str) -> int | None:
    """`1`, of `counter + 1`."""
    makers = links.makers(function)
    made = makers.get(register)
    if made is not None and made[0] == "load":
        return 0 if made[2] == counter else None
    if made is None or made[:3:2] != ("binop", "Add"):
        return None
    for one, other in ((made[3], made[4]), (made[4], made[3])):
        named = makers.get(one)
        if named is not None and named[0] == "load" and named[2] == counter:
            return _number(links, function, other)
    return None


def _number(links: Links, function: Function, register: Register, depth: int = 0) -> int | None:
    """A whole number that is written out, or computed of such, also under a name of the file."""
    made = links.makers(function).get(register)
    if made is None or depth > _STEPS:
        return None
    if made[0] == "const":
        return made[2] if type(made[2]) is int else None
    if made[0] == "binop":
        left = _number(links, function, made[3], depth + 1)
        right = _number(links, function, made[4], depth + 1)
        return None if left is None or right is None else _computed(made[2], left, right)
    if made[0] != "load":
        return None
    owner = function
    if made[3] < 0:
        while owner.parent is not None:
            owner = owner.parent
        owner = links.finder.modules[function.path].top
        if made[2] in links.names_rebound(function.path):
            return None
    elif made[3] > 0:
        return None
    stored = links.stores(owner).get(made[2], [])
    given = made[2] in {p.name for p in owner.parameters}
    return _number(links, owner, stored[0], depth + 1) if len(stored) == 1 and not given else None


def _computed(operator: str, left: int, right: int) -> int | None:
    if operator == "Add":
        return left + right
    if operator == "Sub":
        return left - right
    if operator == "Mult":
        return left * right
    return left // right if operator == "FloorDiv" and right else None
