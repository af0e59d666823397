"""What a loop of a training carries from turn to turn, and what of it is saved (floor `program`).

Under-approximates: a random key and the state of an optimizer are known by what makes them before
the loop, and only where a local name holds them. What is saved over-approximates: all names that
the arguments of the save are made of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from gotcha_lint.program.data_flow import instructions, used_registers
from gotcha_lint.program.ir import Function, Instruction, Region, Span

KEY, OPTIMIZER = "key", "optimizer"
_RANDOM = frozenset(("random", "jr", "jrandom", "jrnd", "rnd"))
_MAKES_KEY = frozenset(("PRNGKey", "key", "split"))
_COMPUTES = frozenset(("binop", "unop", "compare", "augment"))
_DEPTH = 4  # of names that hold names


@dataclass(frozen=True, slots=True)
class Carried:
    """`made`: where it is made before the loop."""

    name: str
    kind: str
    made: Span


@dataclass(slots=True)
class _Code:
    """The instructions of a function by the registers that they write, and what names hold."""

    made: dict[object, Instruction] = field(default_factory=dict)
    stores: dict[str, list[Instruction]] = field(default_factory=dict)

    @classmethod
    def of(cls, function: Function) -> _Code:
        code = cls()
        for step in instructions(function.body):
            if step[0] == "unpack":
                code.made.update((register, step) for register in step[3])
            elif step[0] == "store":
                code.stores.setdefault(step[2], []).append(step)
            elif isinstance(step[1], int):
                code.made[step[1]] = step
        return code

    def words(self, register: object) -> tuple[str, ...]:
        """The dotted name that a register was loaded from."""
        step = self.made.get(register)
        if step is None or step[0] not in ("load", "attr"):
            return ()
        return (step[2],) if step[0] == "load" else (*self.words(step[2]), step[3])

    def names(
        self, registers: Collection[object], closed: Collection[str], whole: bool = False
    ) -> set[str]:
        """The names that registers are made of; those in `closed` are not followed further.

        `whole`: not those that an operator computes with.
        """
        found: set[str] = set()
        waiting, depth = set(registers), 0
        while waiting and depth < _DEPTH:
            new = set(self._loaded(waiting, whole)) - found
            found |= new
            waiting = {s[4] for name in new - set(closed) for s in self.stores.get(name, ())}
            depth += 1
        return found

    def _loaded(self, registers: Collection[object], whole: bool) -> Iterator[str]:
        waiting, seen = list(registers), set[object]()
        while waiting:
            register = waiting.pop()
            step = self.made.get(register)
            if step is None or register in seen or (whole and step[0] in _COMPUTES):
                continue
            seen.add(register)
            if step[0] == "load":
                yield step[2]
            waiting += used_registers(step)

    def source(self, register: object) -> Instruction | None:
        """The call that a register, or an element of which, comes from."""
        step = self.made.get(register)
        if step is not None and step[0] in ("unpack", "item"):
            whole = self.made.get(step[2])
            if step[0] == "unpack" and whole is not None and whole[0] == "build":
                parts, place = whole[3], step[3].index(register)
                return self.source(parts[place][1]) if len(parts) == len(step[3]) else None
            step = whole
        return step if step is not None and step[0] == "call" else None

    def takes(self, register: object, name: str) -> bool:
        """Does the call that gives the new value take the old one: `key, one = split(key)`?"""
        call = self.source(register)
        return call is not None and name in self._loaded((call[1],), False)

    def kind(self, register: object, depth: int = 0) -> str:
        """Is it a new random key, or the first state of an optimizer? Through `replicate(...)`."""
        call = self.source(register)
        if call is None or depth > _DEPTH:
            return ""
        words, given = self.words(call[2]), [r for _, r in call[3]]
        if words[-1:] == ("PRNGKey",) or (
            words[-1:] and words[-1] in _MAKES_KEY and words[-2:-1] and words[-2] in _RANDOM
        ):
            return KEY
        if len(given) != 1 or call[4]:
            return ""
        inner = self.kind(given[0], depth + 1)
        if words[-1:] == ("init",) and len(words) > 1:
            return "" if inner else OPTIMIZER
        return inner


def unsaved(function: Function, saves: Collection[Span]) -> tuple[Span | None, list[Carried]]:
    """The first of the calls at `saves` that is in a loop, and what the loop carries beside it.

    Nothing where no call is in a loop, or none saves what the loop carries.
    """
    loop = next(_loops_with(function.body, saves), None)
    if loop is None:
        return None, []
    code = _Code.of(function)
    inside = list(instructions([loop]))
    spans = {step[-1] for step in inside}
    within = {step[2] for step in inside if step[0] == "store" and code.takes(step[4], step[2])}
    parameters = {p.name for p in function.parameters}
    before = {name: [s for s in code.stores.get(name, ()) if s[-1] not in spans] for name in within}
    carried = {name for name in within if before[name] or name in parameters}
    given, kept = set[str](), set[str]()
    first: Span | None = None
    for step in instructions(function.body):
        if step[0] == "call" and step[-1] in saves:
            first = step[-1] if first is None and step[-1] in spans else first
            arguments = {register for _, register in (*step[3], *step[4])}
            given |= code.names(arguments, carried)
            kept |= code.names(arguments, carried, whole=True)
    state = {n: next(((k, s) for s in before[n] if (k := code.kind(s[4]))), None) for n in carried}
    found = [Carried(n, s[0], s[1][-1]) for n, s in state.items() if s is not None]
    weights = carried & kept - {one.name for one in found}
    if not weights:
        return None, []
    return first, sorted((one for one in found if one.name not in given), key=lambda one: one.name)


def _loops_with(code: Region, saves: Collection[Span]) -> Iterator[Instruction]:
    """The outermost loops that hold one of the calls."""
    for step in code:
        is_loop = step[0] == "while" or (step[0] == "for" and not step[6])
        if is_loop and any(i[0] == "call" and i[-1] in saves for i in instructions([step])):
            yield step
            continue
        for part in step:
            if isinstance(part, list) and part:
                for region in part if isinstance(part[0], list) else [part]:
                    yield from _loops_with(region, saves)
