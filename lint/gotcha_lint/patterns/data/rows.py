"""Calls that a loop makes for each row of an array, and whose results are joined.

By definitions and uses within the function (floor `patterns`). It under-approximates: a loop that
hands something to its next iteration, leaves early or skips one counts for nothing, nor do rows of
which the names say that they hold many examples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from gotcha_lint.facts.concrete import CASTS
from gotcha_lint.facts.pipelines import COPIES, GATHERS, GROUPS, MAPPED, TRANSFERS
from gotcha_lint.program.data_flow import instructions, operands_below, steps_of, words_of
from gotcha_lint.program.enclosing import enclosing
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.reader import NamedReader

FEW = 8  # rows: a choice that is written out, not examples
# What is called so has many examples in each row.
_MANY = ("batch", "chunk", "block", "fold", "shard", "window", "split")
_LEAVES = frozenset(("break", "continue", "return", "yield", "yieldfrom", "try"))
_LOOPS = frozenset(("for", "while"))
_BUILT_IN = frozenset(("float", "int", "complex"))


@dataclass(frozen=True)
class RowCall:
    """`rows`: registers of what must be arrays, each with whether it is cut or written out."""

    span: Span
    callee: Span
    words: str  # what is called, as written
    arguments: tuple[int | str, ...]  # that are given a row
    rows: tuple[tuple[Register, bool], ...]
    array: Span  # the first of them
    loop: Span
    join: Span


@lru_cache(maxsize=64)
def row_calls(module: Module, function: Function) -> Mapping[Span, RowCall]:
    """By the place of the call."""
    steps = steps_of(function)
    if not any(i[0] == "for" for i in steps):
        return {}
    reader = _Rows(module, function)
    joins = (i for i in steps if i[0] == "call" and reader.dotted(i[2]) in GATHERS)
    found = (reader.of_join(join) for join in joins)
    return {each.span: each for each in found if each is not None}


def says_many(name: str) -> bool:
    return any(word in name.lower() for word in _MANY)


def is_mapped(module: Module, names: set[str]) -> bool:
    """Does the file map one of these elsewhere? The loop is there to compare with it, then."""
    return any(
        words_of(function, i[2]).rpartition(".")[2] in MAPPED
        and any(words_of(function, given) in names for _, given in i[3])
        for function in module.functions
        for i in steps_of(function)
        if i[0] == "call"
    )


class _Rows(NamedReader):
    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(module, function)
        self.around = enclosing(function)
        self.steps = steps_of(function)

    def of_join(self, join: Instruction) -> RowCall | None:
        """The call that makes each item of what is joined here, from a row of an array."""
        if not join[3] or any(star for star, _ in join[3]):
            return None
        items = join[3][0][1]
        added = self._added(join, items)
        if added is None:
            return None
        i, item = added
        call = self.makers.get(self._unwrapped(item, CASTS | COPIES))
        loops, outer = self._loops(i), self._loops(join)
        if call is None or call[0] != "call" or len(loops) != len(outer) + 1:
            return None
        loop = loops[-1]
        same = all(a is b for a, b in zip(loops, outer, strict=False))
        if not same or self._loops(call)[-1:] != [loop] or loop[0] != "for":
            return None
        if not self._runs_through(loop) or any(star for star, _ in call[3]):
            return None
        return self._of_call(call, loop, join)

    def _loops(self, i: Instruction) -> list[Instruction]:
        return [block for block, _ in self.around[id(i)] if block[0] in _LOOPS]

    def _added(self, join: Instruction, items: Register) -> tuple[Instruction, Register] | None:
        """What puts the items into the list, under no other condition than the join, and the item.

        It is all that the list is filled by.
        """
        made = self.made(items)
        if made is None or made[0] != "build" or made[2] != "list" or made[3]:
            return None
        adds = [(i, i[3]) for i in self.steps if i[0] == "append" and i[2] == made[1]]
        if not adds:
            load = self.makers[items]
            if load[0] != "load" or len(self.stores.get(load[2], ())) != 1:
                return None
            adds = [(i, i[3][0][1]) for i in self._append_calls(load[2])]
        if len(adds) != 1:
            return None
        (add, item), conditions = adds[0], self._conditions(join)
        return (add, item) if self._conditions(add) == conditions else None

    def _conditions(self, i: Instruction) -> list[tuple[int, int]]:
        return [(id(block), part) for block, part in self.around[id(i)] if block[0] == "if"]

    def _append_calls(self, name: str) -> Iterator[Instruction]:
        words = f"{name.partition('%')[0]}.append"
        for i in self.steps:
            if i[0] == "call" and len(i[3]) == 1 and words_of(self.function, i[2]) == words:
                yield i

    def _unwrapped(self, register: Register, through: frozenset[str]) -> Register:
        """`x` of `jnp.asarray(x, jnp.float32)`, by whatever name."""
        made = self.made(register)
        while made is not None and made[0] == "call" and made[3] and self._name(made) in through:
            register = made[3][0][1]
            made = self.made(register)
        return register if made is None or made[0] == "load" else made[1]

    def _name(self, call: Instruction) -> str:
        made = self.makers.get(call[2])
        if made is not None and made[0] == "load" and made[3] == -1 and made[2] in _BUILT_IN:
            return f"builtins.{made[2]}"
        return self.dotted(call[2])

    def _runs_through(self, loop: Instruction) -> bool:
        """Every iteration is alike."""
        names = self._names_of(loop) | self._names_below(loop[2])
        return not any(i[0] in _LEAVES for i in instructions(loop[4])) and not any(
            map(says_many, names)
        )

    def _names_of(self, loop: Instruction) -> set[str]:
        """What the loop goes over, in names."""
        parts = self._parts(loop)
        return {i[2] for i in instructions(loop[4]) if i[0] == "store" and i[4] in parts}

    def _parts(self, loop: Instruction) -> set[Register]:
        parts = {loop[3]}
        for i in instructions(loop[4]):
            if i[0] == "unpack" and i[2] in parts:
                parts.update(i[3])
        return parts

    def _names_below(self, register: Register) -> set[str]:
        return {i[2] for i in operands_below(self.function, register) if i[0] == "load"}

    def _changing(self, loop: Instruction) -> set[str]:
        """The names that the loop assigns, parts of them too: `state` of `state.x = f(x)`."""
        found: set[str] = set()
        for i in instructions(loop[4]):
            if i[0] == "store":
                found.add(i[2])
            elif i[0] in ("setattr", "setitem"):
                found.add(words_of(self.function, i[2]).partition(".")[0])
        return found

    def _of_call(self, call: Instruction, loop: Instruction, join: Instruction) -> RowCall | None:
        """Where it is given rows, and nothing else that changes."""
        changing = self._changing(loop)
        arguments: list[int | str] = []
        rows: list[tuple[Register, bool]] = []
        given = [*((n, each) for n, (_, each) in enumerate(call[3])), *call[4]]
        for where, register in given:
            if where is None:
                return None
            if self._names_below(register).isdisjoint(changing):
                continue
            row = self._row(loop, self._unwrapped(register, CASTS | TRANSFERS))
            if row is None:
                return None
            arguments.append(where)
            rows.append((row, self._is_cut(row)))
        if not rows:
            return None
        return RowCall(
            call[-1], self.makers[call[2]][-1], words_of(self.function, call[2]),
            tuple(arguments), tuple(rows), self.makers[rows[0][0]][-1], loop[-1], join[-1],
        )  # fmt: skip

    def _row(self, loop: Instruction, register: Register) -> Register | None:
        """The array of which this is one row: `x` of `for x in xs`, or `xs[i]` of a counter."""
        made = self.makers.get(register)
        if made is None:
            return None
        if made[0] == "load":
            return self._sources(loop).get(made[2])
        over = self.makers.get(loop[2])
        counts = over is not None and over[0] == "call" and self.function_of(over) == "range"
        key = self.makers.get(made[3]) if made[0] == "item" else None
        if not counts or key is None or key[0] != "load":
            return None
        return made[2] if key[2] in self._names_of(loop) else None

    def _sources(self, loop: Instruction) -> Mapping[str, Register]:
        """What the loop goes through, alone or in step, by the names of its items."""
        names = {i[4]: i[2] for i in instructions(loop[4]) if i[0] == "store"}
        parts = {i[2]: i[3] for i in instructions(loop[4]) if i[0] == "unpack"}
        over, target = self.makers.get(loop[2]), loop[3]
        word = self.function_of(over) if over is not None and over[0] == "call" else ""
        if over is None or word not in ("zip", "enumerate", "reversed"):
            return {names[target]: loop[2]} if target in names else {}
        given = [each for star, each in over[3] if not star]
        items = [target] if word == "reversed" else parts.get(target, ())
        items = items[1:] if word == "enumerate" else items
        pairs = zip(items, given, strict=False)
        return {names[item]: each for item, each in pairs if item in names}

    def _is_cut(self, register: Register) -> bool:
        """By `split` or `reshape`; or `np.array([0.1, 0.01])`, `np.linspace(0, 1, 5)`."""
        made = self.made(register)
        if made is None or made[0] != "call":
            return False
        if self.function_of(made) in GROUPS:
            return True
        plain = [self.made(each) for _, each in made[3]]
        if not plain:
            return False
        first, last = plain[0], plain[-1]
        number = last[2] if last is not None and last[0] == "const" else None
        few = isinstance(number, int) and number <= FEW
        listed = first is not None and first[0] == "build" and first[2] in ("list", "tuple")
        return few or (listed and self.dotted(made[2]) in TRANSFERS | COPIES)
