"""Local names that are bound on one way alone, and read where the program may have come another.

Either one branch of an `if` binds them, or a `try` whose handler goes on without them. A read
counts where nothing around it, and no early end before it, tests what the `if` tests, or what the
branch, the `try` and its handlers bind: so both ways lead there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from gotcha_lint.program.data_flow import instructions, used_registers
from gotcha_lint.program.ir import Function, Instruction, Region, Register, Span

_ENDS = frozenset(("return", "raise", "break", "continue"))
_ENDING_CALLS = frozenset(("exit", "_exit", "error", "abort", "fail", "quit", "skip"))
_RAISING = frozenset(("call", "item", "import", "unpack"))
_LISTS_NAMES = frozenset(("locals", "globals", "vars", "dir"))
_ALIASES = 3  # steps from a name to what it was made of
_BUILT_IN = frozenset(
    ("isinstance", "hasattr", "getattr", "len", "bool", "int", "str", "any", "all")
)


@dataclass(frozen=True, slots=True)
class Partly:
    """`certain`: the branch depends on a flag, or the other branch is written, too.

    `swallowed`: the condition is an error, and the handler at `condition` goes on.
    """

    name: str
    read: Span
    condition: Span
    certain: bool
    swallowed: bool = False


@dataclass(slots=True)
class _Binding:
    """The outermost `if` that has all stores of a name in one of its branches, or the `try`."""

    test: frozenset[str]
    touched: frozenset[str]  # what the branch binds, the name among them
    span: Span
    loops: frozenset[str]  # what the loops around it bind, on each turn
    certain: bool
    swallowed: bool = False


def partly_bound(function: Function, flat: Sequence[Instruction]) -> Iterator[Partly]:
    """The first such read of each name. `flat`: all instructions of the function."""
    own = -1 if function.is_module else 0
    if function.is_class or function.is_notebook:
        return
    if any(i[0] in ("if", "try") for i in flat):
        yield from _Reader(function, flat, own).read()


class _Reader:
    def __init__(self, function: Function, flat: Sequence[Instruction], own: int) -> None:
        self.own = own
        self.makers: dict[Register, Instruction] = {}
        self.stores: dict[str, list[Register]] = {}
        self.loaded: set[str] = set()
        for i in flat:
            self.makers[i[1]] = i
            if i[0] == "load":
                self.loaded.add(i[2])
            if i[0] == "store" and i[3] == own:
                self.stores.setdefault(i[2], []).append(i[4])
        self.function = function
        self.parameters = {parameter.name for parameter in function.parameters}
        self.bound: dict[str, _Binding] = {}
        self.found: dict[str, Partly] = {}

    def read(self) -> Iterator[Partly]:
        self._walk(self.function.body, frozenset(), frozenset(), trying=False)
        yield from self.found.values()

    def _walk(
        self, code: Region, guards: frozenset[str], loops: frozenset[str], trying: bool
    ) -> frozenset[str]:
        """Returns the guards of what follows: those of early ends within are among them."""
        for i in code:
            operation = i[0]
            if operation == "load" and i[3] == self.own:
                self._look(i[2], i[-1], guards, loops, trying)
            elif operation == "assert":
                guards |= self.atoms(i[2])
            elif operation == "if":
                guards = self._branch(i, guards, loops, trying)
            elif operation in ("for", "while"):
                guards = self._loop(i, guards, loops, trying)
            elif operation == "try":
                _, _, body, handlers, otherwise, final, _ = i
                self._walk(body, guards, loops, trying or bool(handlers))
                for region in (*handlers, otherwise, final):
                    self._walk(region, guards, loops, trying or region is not final)
                if handlers:  # what stands in a `try` may not have run to its end
                    self._forget(i)
                    self._swallow(i, loops)
        return guards

    def _look(
        self, name: str, span: Span, guards: frozenset[str], loops: frozenset[str], trying: bool
    ) -> None:
        binding = self.bound.get(name)
        if binding is None or name in self.found:
            return
        tested = binding.test | binding.touched
        if trying or _meet(guards, tested) or _meet(binding.loops & loops, binding.test):
            return
        self.found[name] = Partly(name, span, binding.span, binding.certain, binding.swallowed)

    def _branch(
        self, i: Instruction, guards: frozenset[str], loops: frozenset[str], trying: bool
    ) -> frozenset[str]:
        _, _, test, then, otherwise, _, span = i
        atoms = self.atoms(test)
        inner = guards | atoms
        after = self._walk(then, inner, loops, trying) | self._walk(otherwise, inner, loops, trying)
        if _ends(then) or _ends(otherwise):
            return after
        for region, other in ((then, otherwise), (otherwise, then)):
            names = _stored(region, self.own)
            for name in names:
                outside = len(self.stores.get(name, ())) - _count(region, name, self.own)
                if outside or "%" in name or name in self.parameters:
                    continue
                certain = self._is_flag(test) or bool(other)
                touched = frozenset(names)
                self.bound[name] = _Binding(atoms, touched, span, loops, certain)
        return guards

    def _loop(
        self, i: Instruction, guards: frozenset[str], loops: frozenset[str], trying: bool
    ) -> frozenset[str]:
        regions = [part for part in i if isinstance(part, list)]
        varying = frozenset(name for region in regions for name in _stored(region, self.own))
        for region in regions:
            self._walk(region, guards, loops | varying, trying)
        for region in regions:  # it may have no turn: nothing is said of what it binds
            for name in _stored(region, self.own):
                self.bound.pop(name, None)
        return guards

    def _forget(self, i: Instruction) -> None:
        for inner in instructions([i]):
            if inner[0] == "store":
                self.bound.pop(inner[2], None)

    def _swallow(self, i: Instruction, loops: frozenset[str]) -> None:
        """What the `try` binds after a step that may raise, and a handler that goes on does not."""
        _, _, body, handlers, otherwise, final, _ = i
        parts = (body, *handlers, otherwise, final)
        going = next((handler for handler in handlers if handler and not _ends(handler)), None)
        if going is None or _ends(body) or not _LISTS_NAMES.isdisjoint(self.loaded):
            return
        touched = frozenset(name for part in parts for name in self._written(part))
        for name in _late_stores(body, otherwise, self.own) - _stored(going, self.own):
            inside = sum(_count(part, name, self.own) for part in (*handlers, otherwise, body))
            outside = len(self.stores.get(name, ())) - inside
            if outside or "%" in name or name in self.parameters:
                continue
            span = going[0][-1]
            self.bound[name] = _Binding(frozenset(), touched, span, loops, True, True)

    def _written(self, region: Region) -> Iterator[str]:
        """The names and attributes, as dotted words."""
        for i in instructions(region):
            if i[0] == "store":
                yield i[2]
            elif i[0] in ("setattr", "setitem"):
                base = self.makers.get(i[2])
                inner = self._dotted(base) if base is not None else ""
                yield f"{inner}.{i[3]}" if i[0] == "setattr" else inner

    def _is_flag(self, test: Register) -> bool:
        """`if flag:`, `if not args.flag:`, `if x is None:`"""
        made = self.makers.get(test)
        while made is not None and made[0] == "unop" and made[2] == "Not":
            made = self.makers.get(made[3])
        if made is None:
            return False
        if made[0] == "compare":
            return made[2] in ("Is", "IsNot")
        if made[0] == "load":  # one that is set here may always be the same
            stored = [self.makers.get(register) for register in self.stores.get(made[2], ())]
            fixed = any(one is None or one[0] == "const" for one in stored)
            return "%" not in made[2] and not fixed
        return made[0] == "attr"

    def atoms(self, register: Register, steps: int = 0) -> frozenset[str]:
        """The names and attributes that a value is made of, as dotted words."""
        made = self.makers.get(register)
        if made is None:
            return frozenset()
        dotted = self._dotted(made)
        if dotted:
            if dotted in _BUILT_IN:
                return frozenset()
            found = frozenset((dotted,))
            if made[0] == "load" and steps < _ALIASES:
                for stored in self.stores.get(made[2], ()):
                    found |= self.atoms(stored, steps + 1)
            return found
        operands: set[Hashable] = used_registers(made)
        found = frozenset[str]()
        for operand in operands:
            if isinstance(operand, int) and steps < _ALIASES + 3:
                found |= self.atoms(operand, steps + 1)
        return found

    def _dotted(self, made: Instruction) -> str:
        if made[0] == "load":
            return str(made[2])
        if made[0] == "attr":
            base = self.makers.get(made[2])
            inner = self._dotted(base) if base is not None else ""
            return f"{inner}.{made[3]}" if inner else ""
        if made[0] == "item":
            base, key = self.makers.get(made[2]), self.makers.get(made[3])
            inner = self._dotted(base) if base is not None else ""
            return f"{inner}.{key[2]}" if inner and key is not None and key[0] == "const" else ""
        return ""


def _meet(a: frozenset[str], b: frozenset[str]) -> bool:
    """Is one of them, or a part of it, among the others?"""
    return any(
        one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")
        for one in a
        for other in b
    )


def _stored(region: Region, own: int) -> set[str]:
    return {i[2] for i in instructions(region) if i[0] == "store" and i[3] == own}


def _late_stores(body: Region, otherwise: Region, own: int) -> set[str]:
    """Names that are bound where the `try` runs to its end, after a step that may raise.

    What an import binds is left out: a library that is not there is told by the handler.
    """
    found: set[str] = set()
    imported = {i[1] for i in body if i[0] == "import"}
    may_raise = False
    for i in body:
        if i[0] in ("if", "for", "while", "try"):
            may_raise = may_raise or any(inner[0] in _RAISING for inner in instructions([i]))
        elif i[0] == "store" and i[3] == own and may_raise and i[4] not in imported:
            found.add(i[2])
        may_raise = may_raise or i[0] in _RAISING
    return found | {i[2] for i in otherwise if i[0] == "store" and i[3] == own}


def _count(region: Region, name: str, own: int) -> int:
    return sum(1 for i in instructions(region) if i[0] == "store" and i[2:4] == (name, own))


def _ends(region: Region) -> bool:
    """Does an end of it leave what follows?"""
    makers = {i[1]: i for i in instructions(region)}
    for i in instructions(region):
        if i[0] in _ENDS:
            return True
        if i[0] == "call":
            callee = makers.get(i[2])
            word = "" if callee is None else str(callee[3] if callee[0] == "attr" else callee[2])
            if word in _ENDING_CALLS:
                return True
    return False
