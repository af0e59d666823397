"""States that go to a checkpoint, or come from one, through the functions of a program.

Two questions (floor `patterns`): is a state saved that `replicate` has given an axis for the
devices, and does anyone look whether a checkpoint was found? Both under-approximate: one helper is
followed from its callers, and a state by its name, in the order of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.reader import NamedReader

_REPLICATES = frozenset(("flax.jax_utils.replicate", "jax.device_put_replicated"))
_FLAX = "flax.training.checkpoints"
_SAVES = {
    f"{_FLAX}.save_checkpoint": (1, "target"),
    f"{_FLAX}.save_checkpoint_multiprocess": (1, "target"),
    "flax.serialization.to_bytes": (0, "target"),
}
_RESTORE = f"{_FLAX}.restore_checkpoint"
_RESTORES = {_RESTORE: (1, "target")}
_SAME = frozenset(("jax.device_get", "jax.block_until_ready"))
_LOOKS = frozenset(
    ("latest_checkpoint", "exists", "isdir", "isfile", "is_dir", "is_file", "listdir", "glob",
     "iglob", "iterdir", "scandir", "available_steps", "all_steps", "latest_step", "rglob",
     "save_checkpoint", "save_checkpoint_multiprocess", "lexists", "find_latest_checkpoint")
)  # fmt: skip
_MAPS = frozenset(("tree_map", "map", "unreplicate", "sync_batch_stats"))

At = tuple[str, Span]  # a file, and a place in it
Taken = dict[str, Span]  # by parameter: the call that saves or restores it


@dataclass(frozen=True)
class ReplicatedSave:
    """`span`: of the call that saves `name`; `restored`: where it is read into another state."""

    name: str
    span: Span
    replicated: Span
    restored: Span | None


@dataclass(frozen=True)
class UnseenRestore:
    """`call`: of the library; `caller`: who calls the helper around it, where there is one."""

    call: At
    within: Function
    caller: At | None


def replicated_names(reader: NamedReader) -> Iterator[tuple[Instruction, Instruction]]:
    """The stores of what `replicate` gives, and its calls, where later stores keep the form."""
    stores = [i for i in steps_of(reader.function) if i[0] == "store"]
    for store in stores:
        made = reader.makers.get(store[4])
        if made is None or made[0] != "call" or reader.dotted(made[2]) not in _REPLICATES:
            continue
        at = reader.order[id(store)]
        later = [i for i in stores if i[2] == store[2] and reader.order[id(i)] > at]
        if not any(_changes_form(reader, i) for i in later):
            yield store, made


def _changes_form(reader: NamedReader, store: Instruction) -> bool:
    """Is it bound to anything but what a step makes of it?"""
    made = reader.makers.get(store[4])
    if made is None or made[0] != "call":
        return made is not None and made[0] != "unpack"
    return reader.function_of(made) in _MAPS or not made[3]


class SavedStates:
    """Answers for the functions of a program; what was asked once is kept."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self._taken: dict[tuple[Function, bool], Taken] = {}

    def replicated(self, module: Module, function: Function) -> Iterator[ReplicatedSave]:
        """States that a function replicates and saves as they are."""
        if {"replicate", "device_put_replicated"}.isdisjoint(names_used(function)):
            return
        reader = NamedReader(module, function)
        for store, made in replicated_names(reader):
            at = reader.order[id(store)]
            restores = [*self._calls(function, store[2], saves=False)]
            if any(reader.order[id(call)] > at for call in restores):
                continue  # into one that is replicated, too
            for call in self._calls(function, store[2], saves=True):
                if reader.order[id(call)] > at:
                    restored = restores[0][-1] if restores else None
                    yield ReplicatedSave(store[2], call[-1], made[-1], restored)

    def _calls(self, function: Function, name: str, saves: bool) -> Iterator[Instruction]:
        """The calls that save, or restore into, what stands under a name."""
        makers = self._links.makers(function)
        for call, register in self._given(function, saves):
            made = makers.get(register)
            while made is not None and made[0] == "call" and len(made[3]) == 1:
                if self._links.dotted(function, made[2]) not in _SAME:
                    break
                made = makers.get(made[3][0][1])
            if made is not None and made[0] == "load" and made[2] == name:
                yield call

    def _given(self, function: Function, saves: bool) -> Iterator[tuple[Instruction, Register]]:
        """The calls that lead to the library, with what they give to it."""
        links, known = self._links, _SAVES if saves else _RESTORES
        for i in steps_of(function):
            if i[0] != "call" or any(star for star, _ in i[3]):
                continue
            place = known.get(links.dotted(function, i[2]))
            if place is not None:
                register = argument(i, *place)
                if register is not None:
                    yield i, register
                continue
            link = links.of_register(function, i[2])
            if link is None or link.kind != "function" or link.function is function:
                continue
            for name in self._parameters(link.function, saves):
                places = [p.name for p in link.function.parameters if p.kind == "pos"]
                at = places.index(name) - link.bound if name in places else -1
                register = argument(i, at, name)
                if register is not None:
                    yield i, register

    def _parameters(self, function: Function, saves: bool) -> Taken:
        """Those that it gives to the library as they are."""
        key = function, saves
        known = self._taken.get(key)
        if known is None:
            known = self._taken[key] = {}
            names = {p.name for p in function.parameters} - set(self._links.stores(function))
            for name in names:
                for call in self._calls(function, name, saves):
                    known[name] = call[-1]
        return known

    def unseen(self, function: Function) -> Iterator[UnseenRestore]:
        """Restores whose outcome neither the function nor its helper looks at."""
        links = self._links
        for i in steps_of(function):
            if i[0] != "call":
                continue
            if links.dotted(function, i[2]) == _RESTORE:
                if _names_path(links, function, i) and self._is_blind(function, i):
                    yield UnseenRestore((function.path, i[-1]), function, None)
                continue
            link = links.of_register(function, i[2])
            if link is None or link.kind != "function" or link.function is function:
                continue
            inner = link.function
            if _looks(function):
                continue
            for call in steps_of(inner):
                if call[0] != "call" or links.dotted(inner, call[2]) != _RESTORE:
                    continue
                if not _names_path(links, inner, call) and self._is_blind(inner, call):
                    yield UnseenRestore((inner.path, call[-1]), inner, (function.path, i[-1]))

    def _is_blind(self, function: Function, call: Instruction) -> bool:
        """Has it a target, no certain step, and nothing that looks?"""
        makers = self._links.makers(function)
        target, step = argument(call, 1, "target"), argument(call, 2, "step")
        made = makers.get(target) if target is not None else None
        if made is None or (made[0] == "const" and made[2] is None) or _looks(function):
            return False
        given = makers.get(step) if step is not None else None
        if given is None or (given[0] == "const" and given[2] is None):
            return True
        if given[0] != "load":
            return False
        return any(p.name == given[2] and p.has_default for p in function.parameters)


def _looks(function: Function) -> bool:
    """At a folder, or at the step of what was restored?"""
    return bool(_LOOKS & names_used(function)) or any(
        i[0] == "attr" and i[3] in ("step", "steps") for i in steps_of(function)
    )


def _names_path(links: Links, function: Function, call: Instruction) -> bool:
    """Is the folder known to the function, and not a parameter, which its callers may look at?"""
    register = argument(call, 0, "ckpt_dir")
    made = links.makers(function).get(register) if register is not None else None
    while made is not None and made[0] == "call" and made[3]:
        made = links.makers(function).get(made[3][0][1])
    return not (
        made is not None
        and made[0] == "load"
        and any(p.name == made[2] for p in function.parameters)
    )


def argument(call: Instruction, place: int, name: str) -> Register | None:
    """By name, or by its place."""
    by_name = next((register for word, register in call[4] if word == name), None)
    if by_name is not None:
        return by_name
    return call[3][place][1] if 0 <= place < len(call[3]) else None
