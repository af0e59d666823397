"""What the registers of a function hold, as far as its text says (floor `program`).

A name holds what was stored last before it is read, in the order of the text: a store in another
branch does not reach it, nor one in a branch that ends the function. Loops are not followed back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.enclosing import enclosing
from gotcha_lint.program.ir import Function, Instruction, Module, Region, Register

_DEPTH = 24  # names that are followed

_Key = TypeVar("_Key")
_Found = TypeVar("_Found")

Branch = tuple[int, int, bool]  # a branch: of which `if`, which one, does it end the function?


def branches_of(
    code: Region, around: tuple[Branch, ...]
) -> Iterator[tuple[int, tuple[Branch, ...]]]:
    """The branches around each instruction, which is named by its identity."""
    for i in code:
        yield id(i), around
        branches = [part for part in i if isinstance(part, list)]
        for number, branch in enumerate(branches):
            for region in branch if branch and isinstance(branch[0], list) else [branch]:
                ends = any(step[0] in ("return", "raise") for step in region)
                inner = (*around, (id(i), number, ends)) if i[0] == "if" else around
                yield from branches_of(region, inner)


def memoised(
    known: dict[_Key, _Found], key: _Key, start: _Found, compute: Callable[[], _Found]
) -> _Found:
    """`compute()`, once for each key. While it runs, the key has the value `start`: a value that
    is computed from itself ends there.
    """
    if key not in known:
        known[key] = start
        known[key] = compute()
    return known[key]


class Reader:
    """What the registers of a function hold, as far as its text says."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.makers = {i[1]: i for i in steps_of(function)}
        self.places = dict(branches_of(function.body, ()))
        self.order = {id(i): n for n, i in enumerate(steps_of(function))}
        self.stores: dict[str, list[Instruction]] = {}
        self.own = -1 if function.is_module else 0
        for i in steps_of(function):
            if i[0] == "store" and i[3] in (0, self.own):
                self.stores.setdefault(i[2], []).append(i)

    def made(self, register: Register, depth: int = 0) -> Instruction | None:
        """The instruction that makes a value; for a name, that of what was stored last."""
        i = self.makers.get(register)
        if i is None or i[0] != "load" or i[3] not in (0, self.own) or depth > _DEPTH:
            return i
        stored = self.stored(i)
        return (self.made(stored, depth + 1) if stored is not None else None) or i

    def stored(self, load: Instruction) -> Register | None:
        """What was stored last under the name that is read."""
        before = [s for s in self.stores.get(load[2], ()) if self._reaches(s, load)]
        return before[-1][4] if before and load[3] in (0, self.own) else None

    def _reaches(self, store: Instruction, load: Instruction) -> bool:
        """It stands before, and neither in another branch, nor in one that ends the function."""
        if self.order[id(store)] > self.order[id(load)]:
            return False
        here = {number: branch for number, branch, _ in self.places.get(id(load), ())}
        for number, branch, ends in self.places.get(id(store), ()):
            if here.get(number, branch) != branch or (ends and number not in here):
                return False
        return True

    def function_of(self, call: Instruction) -> str:
        """The last word of what is called."""
        i = self.makers.get(call[2])
        if i is None or i[0] not in ("attr", "load"):
            return ""
        return i[3] if i[0] == "attr" else i[2]

    def is_method(self, call: Instruction) -> bool:
        """`x.mean()`, where `x` is no module that is imported."""
        i = self.makers.get(call[2])
        base = self.makers.get(i[2]) if i is not None and i[0] == "attr" else None
        if base is None:
            return False
        while base is not None and base[0] == "attr":
            base = self.makers.get(base[2])
        return base is None or base[0] != "load" or base[3] >= 0

    def operand(self, call: Instruction) -> Register | None:
        """What a function or a method is given first."""
        if any(star for star, _ in call[3]):
            return None
        if self.is_method(call):
            return self.makers[call[2]][2]
        return call[3][0][1] if call[3] else None


class SureReader(Reader):
    """... where it holds that whatever happens: on each path to the place, and in each iteration.

    None, or the read of the name itself, for what is not sure.
    """

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.around = enclosing(function)

    def stored(self, load: Instruction) -> Register | None:
        stores = self.stores.get(load[2], ())
        before = [s for s in stores if self._reaches(s, load)]
        sure = bool(before) and self._dominates(before[-1], load, stores)
        return before[-1][4] if sure and load[3] in (0, self.own) else None

    def _dominates(
        self, store: Instruction, load: Instruction, stores: Iterable[Instruction]
    ) -> bool:
        """Does the load come through it last, also in later iterations of a loop?"""
        around, here = self.around[id(store)], self.around[id(load)]
        if here[: len(around)] != around:
            return False
        loops = [block for block, _ in here[len(around) :] if block[0] in ("for", "while")]
        return not any(
            any(block is loop for loop in loops)
            for other in stores
            for block, _ in self.around[id(other)]
        )


class NamedReader(Reader):
    """... and the functions of libraries, by the names under which the file imports them."""

    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(function)
        self.module = module
        self.imports = _imports(module)

    def dotted(self, register: Register) -> str:
        """The full name of a function of a library; "" for what is none."""
        words: list[str] = []
        i = self.makers.get(register)
        while i is not None and i[0] == "attr":
            words.append(i[3])
            i = self.makers.get(i[2])
        if i is None or i[0] != "load" or (i[3] >= 0 and i[2] in self.function.locals):
            return ""
        base = self.imports.get(i[2], "")
        return ".".join((base, *reversed(words))) if base else ""


def _imports(module: Module) -> dict[str, str]:
    """The names that the file imports, in full."""
    made = {i[1]: i for i in steps_of(module.top) if i[0] == "import" and i[3] == 0}
    found: dict[str, str] = {}
    for i in steps_of(module.top):
        step = made.get(i[4]) if i[0] == "store" else None
        if step is not None:
            found[i[2]] = f"{step[2]}.{step[4]}" if step[4] else step[2]
    return found
