"""Whether the turns of a loop go on with what they trained before (floor `patterns`; must).

A state that is made again is a mistake where the parameters go from one turn to the next. It is
meant where each turn trains something else: another task, or from the same start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.optax import RUNS
from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.enclosing import Around, enclosing
from gotcha_lint.program.ir import Function, Instruction, Register, Span

_LOOPS = frozenset(("for", "while"))


@dataclass(frozen=True)
class Fresh:
    name: str  # of the state; "" where it is given away at once
    in_loop: bool


def of_parameters(function: Function, made: Span, used: Span, inline: bool) -> Fresh | None:
    """Of `state = tx.init(params)`; `inline`: the function makes the update itself."""
    body = _Body(function)
    makes, uses = body.call_at(made), body.call_at(used)
    if makes is None or uses is None or body.loops(makes) != body.loops(uses):
        return None
    names = body.targets(makes[1])
    given_away = any(register == makes[1] for _, register in (*uses[3], *uses[4]))
    if len(names) != 1 and not given_away:
        return None
    name, loops = (next(iter(names)) if names else ""), body.loops(makes)
    if loops and body.are_new(makes, loops[-1]):
        return None
    if inline:
        known = given_away or body.is_bound_after(name, makes)
        same = body.branches(makes) == body.branches(uses)
        return Fresh(name, bool(loops)) if known and same and "." not in name else None
    if not loops:  # others call the function in a loop
        return Fresh(name, False) if given_away and body.carries(makes, uses, None) else None
    if body.is_guarded(makes) or body.is_guarded(uses) or body.is_for_each(loops[-1]):
        return None
    return Fresh(name, True) if body.carries(makes, uses, loops[-1]) else None


def of_model(function: Function, made: Span, used: Span, inline: bool) -> Fresh | None:
    """Of `optimizer = nnx.Optimizer(model, tx)`: the model was there before the loop."""
    body = _Body(function)
    makes, uses = body.call_at(made), body.call_at(used)
    if makes is None or uses is None or inline or body.loops(makes) != body.loops(uses):
        return None
    names, loops = body.targets(makes[1]), body.loops(makes)
    if len(names) != 1 or not loops or not makes[3] or body.is_for_each(loops[-1]):
        return None
    if body.is_guarded(makes) or body.is_guarded(uses):
        return None
    model = body.dotted(makes[3][0][1])
    passed = {body.dotted(register) for _, register in (*uses[3], *uses[4])}
    stays = bool(model) and model in passed and not _touches({model}, body.bound_in(loops[-1], ()))
    return Fresh(names.pop(), True) if stays else None


class _Body:
    def __init__(self, function: Function) -> None:
        self.steps = steps_of(function)
        self.makers = {i[1]: i for i in self.steps}
        self.around = enclosing(function)
        self.order = {id(i): n for n, i in enumerate(self.steps)}

    def call_at(self, span: Span) -> Instruction | None:
        return next((i for i in self.steps if i[0] == "call" and i[-1] == span), None)

    def loops(self, i: Instruction) -> list[Instruction]:
        return [block for block, _ in self.around[id(i)] if block[0] in _LOOPS]

    def branches(self, i: Instruction) -> list[Around]:
        return [each for each in self.around[id(i)] if each.block[0] == "if"]

    def is_guarded(self, i: Instruction) -> bool:
        """In a branch within the innermost loop."""
        inner = [block[0] for block, _ in self.around[id(i)]]
        loop = max((n for n, word in enumerate(inner) if word in _LOOPS), default=-1)
        return "if" in inner[loop + 1 :]

    def is_for_each(self, loop: Instruction) -> bool:
        """`for task in tasks`, each of which has an optimizer of its own."""
        if loop[0] != "for":
            return False
        names = [self.dotted(loop[2]), *(n for i in loop[4] for n in self._stored(i, loop[3]))]
        return any(word in name for name in names for word in RUNS)

    def _stored(self, i: Instruction, register: Register) -> Iterator[str]:
        if i[0] == "store" and i[4] == register:
            yield i[2]
        elif i[0] == "unpack" and i[2] == register:
            for part in i[3]:
                yield from self.targets(part)

    def dotted(self, register: Register) -> str:
        i = self.makers.get(register)
        if i is None or i[0] not in ("load", "attr"):
            return ""
        if i[0] == "load":
            return str(i[2])
        base = self.dotted(i[2])
        return f"{base}.{i[3]}" if base else ""

    def targets(self, register: Register) -> set[str]:
        """The names and attributes that a value is put into, or its parts are."""
        found: set[str] = set()
        for i in self.steps:
            if i[0] == "store" and i[4] == register:
                found.add(i[2])
            elif i[0] == "setattr" and i[4] == register:
                base = self.dotted(i[2])
                found |= {f"{base}.{i[3]}"} if base else set()
            elif i[0] == "unpack" and i[2] == register:
                found |= set[str]().union(*map(self.targets, i[3]))
        return found

    def is_bound_after(self, name: str, makes: Instruction) -> bool:
        """Is the name bound nowhere before, and in no other loop?"""
        stores = [i for i in self.steps if i[0] == "store" and i[2] == name]
        return all(
            self.loops(i) == self.loops(makes) and self.order[id(i)] > self.order[id(makes)]
            for i in stores
        )

    def carries(self, makes: Instruction, uses: Instruction, loop: Instruction | None) -> bool:
        """The parameters come out of the step, and nothing else sets them in the loop."""
        given = {name for register in self._parts(makes) for name in self._names(register)}
        if not _touches(given, self.targets(uses[1])):
            return False
        return loop is None or not _touches(given, self.bound_in(loop, (makes[1], uses[1])))

    def are_new(self, makes: Instruction, loop: Instruction) -> bool:
        """Are the parameters set in the loop, before the state is made?"""
        given = {name for register in self._parts(makes) for name in self._names(register)}
        last = self.order[id(makes)]
        return _touches(given, self.bound_in(loop, (makes[1],), last))

    def _parts(self, makes: Instruction) -> Iterator[Register]:
        yield from (register for _, register in (*makes[3], *makes[4]))
        callee = self.makers.get(makes[2])
        if callee is not None and callee[0] == "attr":
            yield callee[2]  # `self.fresh_state()`

    def _names(self, register: Register) -> Iterator[str]:
        """`self.params`, and `model` of `filter(model, is_array)`."""
        i = self.makers.get(register)
        if i is not None and i[0] == "call":
            for _, inner in i[3]:
                yield from self._names(inner)
        elif name := self.dotted(register):
            yield name

    def bound_in(
        self, loop: Instruction, without: tuple[Register, ...], last: int | None = None
    ) -> set[str]:
        """What the loop binds; `without`: not what is put there by these; until the `last` step."""
        left = set[Register]().union(*map(self._with_parts, without))
        inner = [i for part in loop if isinstance(part, list) for i in instructions(part)]
        bound: set[str] = set()
        for i in inner:
            if last is not None and self.order[id(i)] > last:
                continue
            if i[0] == "store" and i[4] not in left:
                bound.add(i[2])
            elif i[0] == "setattr" and i[4] not in left and (base := self.dotted(i[2])):
                bound.add(f"{base}.{i[3]}")
        return bound

    def _with_parts(self, register: Register) -> set[Register]:
        unpacked = (i for i in self.steps if i[0] == "unpack" and i[2] == register)
        parts = (self._with_parts(part) for i in unpacked for part in i[3])
        return {register}.union(*parts)


def _touches(names: set[str], targets: set[str]) -> bool:
    """One of the targets is one of the names, or a part of it: `self.params` of `self`."""
    return any(
        target == name or target.startswith(f"{name}.") for target in targets for name in names
    )
