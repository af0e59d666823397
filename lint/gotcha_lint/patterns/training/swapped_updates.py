"""`optax.apply_updates(updates, params)`: which argument is which, by where they come from (may).

By their names, too: a name alone says it of one of the two, not of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.optax import PARAMETERS, UPDATES
from gotcha_lint.program.data_flow import steps_of, uncaught, words_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.reader import NamedReader

_APPLY = "optax.apply_updates"
_WORD = "apply_updates"
_GRADIENTS = frozenset(("grad", "value_and_grad", "filter_grad", "filter_value_and_grad"))


@dataclass(frozen=True)
class Swapped:
    """`words`: the updates, as far as they have a name; `update`: where they come from."""

    span: Span
    words: str
    update: Span | None


def swapped_updates(module: Module, function: Function) -> Iterator[Swapped]:
    steps = steps_of(function)
    if not any(i[3 if i[0] == "attr" else 2] == _WORD for i in steps if i[0] in ("attr", "load")):
        return
    reader = _Reader(module, function)
    for call in uncaught(function.body):
        if call[0] != "call" or reader.dotted(call[2]) != _APPLY:
            continue
        first, second = reader.given(call, 0, "params"), reader.given(call, 1, "updates")
        if first is None or second is None:
            continue
        made = reader.update(first)
        named = reader.last_word(first).endswith(UPDATES)
        if (made is not None or named) and reader.are_parameters(second, made):
            yield Swapped(
                call[-1], words_of(function, first), made[-1] if made is not None else None
            )


class _Reader(NamedReader):
    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(module, function)
        self.firsts = {i[3][0]: i[2] for i in steps_of(function) if i[0] == "unpack" and i[3][1:]}

    def given(self, call: Instruction, index: int, name: str) -> Register | None:
        """An argument by position or by name; None beside star arguments."""
        named = dict(call[4])
        if None in named or any(star for star, _ in call[3]):
            return None
        return call[3][index][1] if index < len(call[3]) else named.get(name)

    def last_word(self, register: Register) -> str:
        return words_of(self.function, register).rpartition(".")[2].lower()

    def update(self, register: Register) -> Instruction | None:
        """The call of an optimizer's `update` of which this is the first result."""
        made = self.makers.get(register)
        if made is not None and made[0] == "load":
            stored = self.stored(made)
            whole = self.firsts.get(stored) if stored is not None else None
        elif made is not None and made[0] == "item":
            key = self.makers.get(made[3])
            whole = made[2] if key is not None and key[:3:2] == ("const", 0) else None
        else:
            whole = None
        call = self.made(whole) if whole is not None else None
        if call is None or call[0] != "call" or self.function_of(call) != "update":
            return None
        return call if len(call[3]) > 1 and self.is_method(call) else None

    def are_parameters(self, register: Register, update: Instruction | None) -> bool:
        """By their name, or because `update` was given them, or they were differentiated."""
        words = words_of(self.function, register)
        given = [call[3][0][1] for call in self.makers.values() if self._is_gradient(call)]
        named = self.given(update, 2, "params") if update is not None else None
        given += [named] if named is not None else []
        if words and any(words_of(self.function, one) == words for one in given):
            return True
        return self.last_word(register).endswith(PARAMETERS) and self.update(register) is None

    def _is_gradient(self, call: Instruction) -> bool:
        made = self.made(call[2]) if call[0] == "call" and call[3] else None
        return made is not None and made[0] == "call" and self.function_of(made) in _GRADIENTS
