"""The two ends of an episode, put together before they are remembered (floor `patterns`).

A step of an environment tells whether the episode has terminated, and whether a limit of time cut
it. Under-approximates: both come from one call of `step` in the function that remembers them, and
that does nothing else with the cut. What the memory is used for is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gotcha_lint.program.data_flow import instructions, steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import Links

_ENDED, _CUT, _EITHER = "ended", "cut", "either"
_RESULTS = 5  # of `step`: observation, reward, terminated, truncated, information
_JOINING = frozenset(("logical_or", "bitwise_or", "maximum", "or_", "fmax", "any", "max"))
_REMEMBERING = frozenset(
    ("append", "add", "store", "push", "insert", "put", "record", "remember", "add_transition",
     "add_sample", "add_experience", "store_transition", "add_batch", "observe")
)  # fmt: skip
# Words of code that knows what comes after a cut.
_KNOWING = ("final_obs", "terminal_obs", "last_obs_of", "TimeLimit", "bootstrap")

Marks = frozenset[str]
_NONE: Marks = frozenset()


@dataclass(frozen=True, slots=True)
class JoinedEnds:
    """`stepped`: the call of the environment; `kept`: where the joined end is remembered."""

    span: Span
    stepped: Span
    kept: Span


def joined_ends(links: Links, function: Function) -> JoinedEnds | None:
    calls = [step for step in _environment_steps(links, function)]
    if len(calls) != 1 or _knows(function):
        return None
    flow = _Flow(links, function, calls[0])
    again = [step for loop in steps_of(function) if loop[0] in ("for", "while")
             for step in instructions([loop])]  # fmt: skip
    for step in (*steps_of(function), *again):  # a loop hands on what its last turn has stored
        flow.take(step)
    if flow.looks_at_cut or flow.joined is None or flow.remembered.keys() != {_EITHER}:
        return None
    made = links.makers(function)[calls[0][2]]
    return JoinedEnds(flow.joined, made[-1], flow.remembered[_EITHER])


def _environment_steps(links: Links, function: Function) -> Iterator[Instruction]:
    """`obs, reward, terminated, truncated, info = env.step(action)`."""
    makers = links.makers(function)
    for i in steps_of(function):
        if i[0] == "unpack" and i[4] is None and len(i[3]) == _RESULTS:
            made = makers.get(i[2])
            callee = makers.get(made[2]) if made is not None and made[0] == "call" else None
            if callee is not None and callee[0] == "attr" and callee[3] == "step":
                yield i


def _knows(function: Function) -> bool:
    texts = (i[2] if i[0] in ("const", "load") else i[3] for i in steps_of(function)
             if i[0] in ("const", "load", "attr"))  # fmt: skip
    return any(isinstance(text, str) and any(word in text for word in _KNOWING) for text in texts)


@dataclass(slots=True)
class _Flow:
    """What registers and names hold of the two ends, in the order of the text."""

    links: Links
    function: Function
    source: Instruction
    registers: dict[Register, Marks] = field(default_factory=dict)
    names: dict[str, Marks] = field(default_factory=dict)
    remembered: dict[str, Span] = field(default_factory=dict)
    joined: Span | None = None
    looks_at_cut: bool = False

    def take(self, i: Instruction) -> None:
        operation = i[0]
        if operation == "unpack":
            self._unpack(i)
        elif operation == "store":
            self._store(i)
        elif operation == "load":
            self._put(i[1], self.names.get(i[2], _NONE))
        elif operation in ("attr", "item", "unop"):
            self._put(i[1], self._of(i[3] if operation == "unop" else i[2]))
        elif operation in ("build", "dict"):
            self._put(i[1], self._all(i))
        elif operation in ("binop", "augment"):
            self._compute(i, i[2] in ("BitOr", "Add"))
        elif operation == "call":
            self._call(i)
        elif operation == "setitem":
            self._remember(self._of(i[4]), i[-1])
        elif operation == "if" and self._of(i[2]) == {_CUT} and not self._is_of_or(i):
            self.looks_at_cut = True

    def _of(self, register: object) -> Marks:
        return self.registers.get(register, _NONE) if isinstance(register, int) else _NONE

    def _all(self, i: Instruction) -> Marks:
        return _NONE.union(*(self._of(register) for register in used_registers(i)))

    def _put(self, register: Register, marks: Marks) -> None:
        self.registers[register] = marks

    def _store(self, i: Instruction) -> None:
        """`a or b` is a name that both branches store."""
        new = self._of(i[4])
        before = self.names.get(i[2], _NONE) if i[2].startswith("%") else _NONE
        self.names[i[2]] = self._join(new | before, i[-1]) if before else new

    def _is_of_or(self, i: Instruction) -> bool:
        """Is it the test of `a or b`?"""
        stores = [step for region in i[3:5] for step in region if step[0] == "store"]
        return any(step[2].startswith("%") for step in stores)

    def _join(self, marks: Marks, span: Span) -> Marks:
        if {_ENDED, _CUT} <= marks:
            self.joined = self.joined or span
            return frozenset((_EITHER,))
        return marks

    def _unpack(self, i: Instruction) -> None:
        for register in i[3]:
            self._put(register, _NONE)
        if i is self.source:
            self._put(i[3][2], frozenset((_ENDED,)))
            self._put(i[3][3], frozenset((_CUT,)))
            return
        made = self.links.makers(self.function).get(i[2])
        given: tuple[tuple[bool, Register], ...] = ()
        if made is not None and made[0] in ("call", "build"):
            given = made[3]
        if i[4] is None and len(given) == len(i[3]):  # a conversion of each of them
            for register, (_, value) in zip(i[3], given, strict=True):
                self._put(register, self._of(value))

    def _compute(self, i: Instruction, joins: bool) -> None:
        left, right = self._of(i[3]), self._of(i[4])
        self._put(i[1], self._join(left | right, i[-1]) if joins or not (left and right) else _NONE)

    def _call(self, i: Instruction) -> None:
        word = self.links.word(self.function, i[2])
        callee = self.links.makers(self.function).get(i[2])
        base = self._of(callee[2]) if callee is not None and callee[0] == "attr" else _NONE
        given = [self._of(register) for _, register in (*i[3], *i[4])]
        marks = base.union(*given)
        if word in _JOINING:
            self._put(i[1], self._join(marks, i[-1]))
        elif word in _REMEMBERING or word[:1].isupper():
            self._put(i[1], marks if word[:1].isupper() else _NONE)
            self._remember(marks, i[-1])
        elif len(i[3]) + len(i[4]) <= _FEW or base:
            self._put(i[1], marks if len(marks) == 1 else _NONE)
        else:
            self._put(i[1], _NONE)
            alone = _CUT in marks and _ENDED not in marks  # both: it converts or prints them
            self.looks_at_cut |= alone and word not in _PRINTING

    def _remember(self, marks: Marks, span: Span) -> None:
        for mark in marks:
            self.remembered.setdefault(mark, span)


_FEW = 2  # arguments of a conversion: the value, and its type
_PRINTING = frozenset(("print", "log", "info", "debug"))
