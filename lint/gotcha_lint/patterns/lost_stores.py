"""Stores into what a function was given, which nothing sees afterwards.

Into a dictionary, a list, or an attribute of an object.

By definitions and uses within the function (floor `patterns`). It under-approximates: whatever may
keep the dictionary, read it after the store or in another turn of its loop, counts as a use.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import instructions, steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.reader import NamedReader

_STORING = frozenset(("setitem", "setattr", "discard"))
_APPENDS = frozenset(("append", "extend", "insert"))
_LOOKS = frozenset(("items", "keys", "values", "get"))
# What these give does not hold the dictionary that they were given.
_MAKE_ANEW = ("jax.", "optax.", "flax.core.", "flax.traverse_util.")
_KEEP = frozenset(("jax.tree_util.Partial",))

Path = tuple[Hashable | None, ...]
"""`"a", "b"` of `params["a"]["b"]`; None stands for what is not written out, `_Field("a")` for the
attribute `.a`.
"""


@dataclass(frozen=True)
class _Field:
    name: str


@dataclass(frozen=True)
class LostStore:
    parameter: str
    span: Span


def lost_stores(module: Module, function: Function, names: set[str]) -> Iterator[LostStore]:
    """`params["w"] = w`, `params.update({...})`, `state.w = w` and `losses.append(x)`.

    For parameters of these names.
    """
    if function.is_generator or not any(i[0] in _STORING for i in steps_of(function)):
        return
    reader = _Reader(module, function)
    for name in sorted(names):
        for span in reader.lost(name):
            yield LostStore(name, span)


@dataclass(frozen=True)
class _Read:
    path: Path
    use: Instruction
    is_store: bool


class _Reader(NamedReader):
    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(module, function)
        self.steps = steps_of(function)
        # What is written here is no property, which might read the rest.
        stored = {i[2] for i in self.steps if i[0] == "setitem"}
        self.fields = {
            i[3] for i in self.steps if i[0] == "setattr" or (i[0] == "attr" and i[1] in stored)
        }
        self.uses: dict[Hashable, list[Instruction]] = {}
        for i in self.steps:
            for register in used_registers(i) | ({i[2]} if i[0] in _ON_THE_SECOND else set()):
                self.uses.setdefault(register, []).append(i)
        self.tried = {
            id(inner) for i in self.steps if i[0] == "try" and i[3] for inner in instructions(i[2])
        }

    def lost(self, name: str) -> Iterator[Span]:
        names = self._names_of(name)
        if not names or not names.isdisjoint(self.function.captured):
            return
        loads = [i for i in self.steps if i[0] == "load" and i[2] in names and i[3] == 0]
        reads = [read for load in loads for read in self._whole(load[1])]
        others = [each for each in reads if not each.is_store]
        others = [each for each in others if not (each.use[0] == "store" and each.use[2] in names)]
        for store in (each for each in reads if each.is_store):
            own = store.path
            if store.use[0] == "setitem":
                own = (*own, self._key(store.use))
                if not isinstance(own[-1], str):
                    continue
            elif store.use[0] == "setattr":
                own = (*own, _Field(store.use[3]))
            depth, again = max(len(own), 1), self._loop_around(store.use)
            if id(store.use) not in self.tried and all(
                _apart(each.path, own) or self._is_harmless(each, store.use, own, depth, again)
                for each in others
            ):
                yield store.use[-1]

    def _names_of(self, name: str) -> set[str]:
        """The parameter and its other names; none where one has another value too."""
        names = {name}
        for i in self.steps:
            made = self.makers.get(i[4]) if i[0] == "store" and i[3] == 0 else None
            if made is not None and made[0] == "load" and made[2] in names:
                names.add(i[2])
        for i in self.steps:
            if i[0] == "store" and i[3] == 0 and i[2] in names:
                made = self.makers.get(i[4])
                if i[2] == name or made is None or made[0] != "load" or made[2] not in names:
                    return set()
        return names

    def _whole(self, register: Register, path: Path = ()) -> Iterator[_Read]:
        """What uses a read, or the end of the path that is taken from it."""
        for use in self.uses.get(register, []):
            calls = self._calls_of(use) if use[0] == "attr" else []
            if use[0] == "item" and use[2] == register:
                yield from self._whole(use[1], (*path, self._key(use)))
            elif calls and (self._is_update(use, calls[0]) or self._is_append(use, calls[0])):
                yield _Read(path, calls[0], True)
            elif use[0] == "attr" and not calls and use[3] in self.fields:
                yield from self._whole(use[1], (*path, _Field(use[3])))
            else:
                is_store = use[0] in ("setitem", "setattr") and use[2] == register
                yield _Read(path, use, is_store)

    def _calls_of(self, attribute: Instruction) -> list[Instruction]:
        """The calls of what is taken as an attribute: it is a method, which sees the whole."""
        return [
            i for i in self.uses.get(attribute[1], []) if i[0] == "call" and i[2] == attribute[1]
        ]

    def _key(self, i: Instruction) -> Hashable | None:
        made = self.makers.get(i[3])
        return made[2] if made is not None and made[0] == "const" else None

    def _is_append(self, attribute: Instruction, call: Instruction) -> bool:
        """`losses.append(x)`, as a statement."""
        dropped = any(i[0] == "discard" for i in self.uses.get(call[1], ()))
        return attribute[3] in _APPENDS and dropped

    def _is_update(self, attribute: Instruction, call: Instruction) -> bool:
        """`params.update({...})`, as a statement."""
        if attribute[3] != "update":
            return False
        given = self.makers.get(call[3][0][1]) if call[0] == "call" and len(call[3]) == 1 else None
        dropped = any(i[0] == "discard" for i in self.uses.get(call[1], ()))
        return dropped and not call[4] and given is not None and given[0] == "dict"

    def _loop_around(self, store: Instruction) -> set[int]:
        """The instructions of the innermost loop around it."""
        around = [
            {id(inner) for part in i if isinstance(part, list) for inner in instructions(part)}
            for i in self.steps
            if i[0] in ("for", "while")
        ]
        return min((each for each in around if id(store) in each), key=len, default=set())

    def _is_harmless(
        self, read: _Read, store: Instruction, own: Path, depth: int, again: set[int]
    ) -> bool:
        """It stands before the store, and does not keep the dictionary that is stored into."""
        use = read.use
        if self.order[id(use)] > self.order[id(store)] or id(use) in again:
            return False
        if len(read.path) >= depth or (use[0] == "compare" and use[2] in ("In", "NotIn")):
            return True
        if use[0] == "attr":
            if own and isinstance(own[0], _Field):  # it gives another attribute, or runs a method
                return not read.path and own[0].name != use[3]
            return depth == 1 and use[3] in _LOOKS
        return use[0] == "call" and self._makes_anew(use)

    def _makes_anew(self, call: Instruction) -> bool:
        made = self.makers.get(call[2])  # `jax.grad(loss)(params)`
        name = self.dotted(call[2])
        if not name and made is not None and made[0] == "call":
            name = self.dotted(made[2])
        if name.startswith(_MAKE_ANEW):
            return name not in _KEEP
        return made is not None and made[0] == "load" and made[2] == "len"


_ON_THE_SECOND = frozenset(("setitem", "return", "setattr", "yield", "discard"))


def _apart(one: Path, other: Path) -> bool:
    """Two places of which neither is in the other."""
    pairs = zip(one, other, strict=False)
    return any(a is not None and b is not None and a != b for a, b in pairs)
