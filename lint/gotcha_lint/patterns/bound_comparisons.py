"""Comparisons that `:=` binds where the value compared was meant (floor `patterns`).

`if mask := batch.get("mask") is not None:` makes `mask` True: below the `if` it is used as a value.
It under-approximates: a name that only decides, is handed on by name, is called like a flag, or is
bound again below the test is taken to be meant; and so is a comparison in parentheses.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.flags import FLAGS, WORDS
from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Region, Register, Span
from gotcha_lint.program.reader import NamedReader

# Other comparisons are answered by True or False alone: the value is not used otherwise.
_ORDER = frozenset(("Lt", "LtE", "Gt", "GtE"))
_LOGIC = frozenset(("BitAnd", "BitOr", "BitXor"))
_ARRAYS = ("jax.numpy.", "jax.lax.", "jax.nn.")
_SHOWING = ("logging.", "absl.logging.", "loguru.")
_BUILTINS = frozenset(dir(builtins))
_METHODS_THAT_SHOW = frozenset(("debug", "info", "warning", "error", "log", "write"))
_BETWEEN = len(" := ")


@dataclass(frozen=True)
class BoundComparison:
    """`span`: from the name to the end of what is bound; `compared`: the value that was meant."""

    name: str
    span: Span
    compared: Span
    use: Span


def bound_comparisons(module: Module, function: Function) -> Iterator[BoundComparison]:
    """Those that are used as a value where they are known to be true."""
    reader: _Reader | None = None
    for i in steps_of(function):
        if i[0] not in ("if", "while"):
            continue
        test, block = (i[2], i[3]) if i[0] == "if" else (i[3], i[4])
        reader = reader or _Reader(module, function)
        for register in reader.conjuncts(test):
            store = reader.bound.get(register)
            found = None if store is None else reader.found(store, block)
            if found is not None:
                yield found


class _Reader(NamedReader):
    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(module, function)
        self.module = module
        steps = steps_of(function)
        stores = [i for i in steps if i[0] == "store"]
        self.bound = {i[4]: i for i in stores if not i[2].startswith("%")}
        self.choices = {region[-1][2]: i for i in steps if i[0] == "if" for region in i[3:5]
                        if region and region[-1][0] == "store"}  # fmt: skip

    def conjuncts(self, register: Register) -> Iterator[Register]:
        """The registers that are true where this one is."""
        yield register
        both = self._conjunction(register)
        if both is not None:
            yield from self.conjuncts(both[0])
            yield from self.conjuncts(both[1])

    def _conjunction(self, register: Register) -> tuple[Register, Register] | None:
        """The operands of `a and b`: the branch where `a` is false gives `a` itself."""
        made = self.makers.get(register)
        choice = self.choices.get(made[2]) if made is not None and made[0] == "load" else None
        if choice is None or not made or not made[2].startswith("%"):
            return None
        _, _, test, then, otherwise, _, _ = choice
        both = then and otherwise and otherwise[-1][4] == test and len(otherwise) == 1
        return (test, then[-1][4]) if both else None

    def found(self, store: Instruction, block: Region) -> BoundComparison | None:
        """`store`: what the walrus writes; `block`: what runs where it is true."""
        _, _, name, hops, value, target = store
        compared, bound = self._compared(value), self.makers[value]
        if compared is None or not _is_bare(target, compared[-1]):
            return None
        if any(i[0] == "store" and i[2:4] == (name, hops) for i in instructions(block)):
            return None
        left = self.makers.get(compared[3])
        if left is None or left[0] not in ("call", "item", "attr", "binop"):
            return None
        optional = compared[2] == "IsNot" and not _is_flag(name)
        for function, load in _loads(block, self.function, name, hops):
            if self._wants_value(function, load, optional):
                span = (*target[:2], *bound[-1][2:])
                return BoundComparison(name, span, left[-1], load[-1])
        return None

    def _compared(self, register: Register) -> Instruction | None:
        """The comparison that is bound, alone or as the first operand of `and`."""
        while (both := self._conjunction(register)) is not None:
            register = both[0]
        made = self.makers.get(register)
        if made is None or made[0] != "compare":
            return None
        other = self.makers.get(made[4])
        none = other is not None and other[0] == "const" and other[2] is None
        return made if made[2] in _ORDER or (made[2] == "IsNot" and none) else None

    def _wants_value(self, function: Function, load: Instruction, optional: bool) -> bool:
        """It is computed with, looked into, or handed on to where True would be of no use."""
        register = load[1]
        for i in steps_of(function):
            if i[0] in ("attr", "item", "slice") and register in i[2:5]:
                return True
            if i[0] == "binop" and register in i[3:5] and i[2] not in _LOGIC:
                return True
            if i[0] == "call" and (False, register) in i[3]:
                return self._takes_value(function, i, optional)
        return False

    def _takes_value(self, function: Function, call: Instruction, optional: bool) -> bool:
        reader = self if function is self.function else NamedReader(self.module, function)
        name = reader.dotted(call[2])
        if name.startswith(_ARRAYS):
            return True
        word = reader.function_of(call)
        shows = name.startswith(_SHOWING) or word in _METHODS_THAT_SHOW or word in _BUILTINS
        return optional and not shows


def _loads(
    block: Region, function: Function, name: str, hops: int
) -> Iterator[tuple[Function, Instruction]]:
    """The reads of a name of the function in a region, in functions within, too."""
    for i in instructions(block):
        if i[0] == "load" and i[2:4] == (name, hops):
            yield function, i
        elif i[0] in ("closure", "class"):
            inner = hops if hops < 0 else hops + 1
            yield from _loads(i[2].body, i[2], name, inner)


def _is_bare(target: Span, compared: Span) -> bool:
    """Does the comparison begin right after `:=`, so that no parenthesis is around it?"""
    return target[2] == compared[0] and compared[1] - target[3] <= _BETWEEN


def _is_flag(name: str) -> bool:
    words = name.lower().split("_")
    return name in FLAGS or words[-1].endswith("ed") or not WORDS.isdisjoint(words)
