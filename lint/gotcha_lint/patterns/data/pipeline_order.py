"""Steps of a pipeline of data in an order that spoils one of them (floor `patterns`).

A pipeline is a chain of methods, over one statement or several. It under-approximates: what other
functions do to it is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.loaders import LOADERS
from gotcha_lint.patterns.training.layer_arguments import name_of, tokens_of
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.reader import NamedReader

_BATCHES = frozenset(("batch", "padded_batch"))
_SHUFFLES = "shuffle"
_OPENS = frozenset(("unbatch", "flat_map", "interleave", "window", "rebatch", "group_by_window"))
_STEPS = 40  # of a chain
_CYCLE = "itertools.cycle"
_LOADING = frozenset(("loader", "dataloader", "loaders", "dataloaders", "dataset", "ds"))
_YIELDING = frozenset(("batch", "batches", "loader", "dataloader", "minibatches", "data"))
_OF_BATCHES = frozenset(("batches", "minibatches", "loader", "dataloader"))
OF_DATA = ("tensorflow.data.", "tensorflow_datasets.", "grain.", "datasets.")
_LISTS = frozenset(("list", "tuple", "sorted"))


@dataclass(frozen=True)
class LateShuffle:
    """`span`: of the shuffle; `batched`: where the batches are made."""

    path: str
    span: Span
    batched: Span


@dataclass(frozen=True)
class Cycled:
    """`what`: the name of the loader, or of the function that yields."""

    path: str
    span: Span
    what: str


def late_shuffles(module: Module) -> Iterator[LateShuffle]:
    """Shuffles of batches whose examples were never shuffled."""
    for function in module.functions:
        yield from _late_shuffles(module, function)


def cycled_loaders(module: Module) -> Iterator[Cycled]:
    """Loaders, and generators of batches, that `itertools.cycle` keeps and repeats."""
    for function in module.functions:
        yield from _cycled_loaders(module, function)


def _late_shuffles(module: Module, function: Function) -> Iterator[LateShuffle]:
    names = names_used(function)
    if _SHUFFLES not in names or _BATCHES.isdisjoint(names):
        return
    reader = NamedReader(module, function)
    calls = [i for i in steps_of(function) if i[0] == "call"]
    again = [steps_before(reader, i) for i in calls if reader.function_of(i) in _BATCHES]
    for call in calls:
        if reader.function_of(call) != _SHUFFLES or not reader.is_method(call):
            continue
        batch = _last_batch(reader, call)
        if batch is not None and not any(step is call for chain in again for step in chain):
            yield LateShuffle(module.path, call[-1], batch[-1])


def _last_batch(reader: NamedReader, shuffle: Instruction) -> Instruction | None:
    """The step that made the batches which this shuffles."""
    found = None
    for step in steps_before(reader, shuffle):
        word = reader.function_of(step)
        if word == _SHUFFLES or (word in _OPENS and found is None):
            return None
        if word in _BATCHES and found is None:
            if not _has_size(reader, step):
                return None
            found = step
    return found


def _has_size(reader: NamedReader, batch: Instruction) -> bool:
    """Batches of more than one example."""
    given = [register for _, register in batch[3]] + [register for _, register in batch[4]]
    made = reader.made(given[0]) if given else None
    return bool(given) and not (made is not None and made[0] == "const" and made[2] == 1)


def steps_before(reader: NamedReader, call: Instruction) -> list[Instruction]:
    """The steps of a chain before this one, the last first."""
    found: list[Instruction] = []
    step: Instruction | None = call
    while step is not None and len(found) < _STEPS:
        callee = reader.makers.get(step[2])
        step = reader.made(callee[2]) if callee is not None and callee[0] == "attr" else None
        if step is None or step[0] != "call":
            break
        found.append(step)
    return found


def _cycled_loaders(module: Module, function: Function) -> Iterator[Cycled]:
    if "cycle" not in names_used(function):
        return
    reader = NamedReader(module, function)
    for call in steps_of(function):
        if call[0] != "call" or reader.dotted(call[2]) != _CYCLE or len(call[3]) != 1:
            continue
        what = _loader(reader, module, call[3][0][1])
        if what:
            yield Cycled(module.path, call[-1], what)


def _loader(reader: NamedReader, module: Module, register: Register) -> str:
    """The name of the loader that is gone through, or of the function that yields; else ""."""
    word = name_of(reader, reader.makers.get(register))
    made = reader.made(register)
    if made is not None and made[0] == "call":
        called = reader.function_of(made)
        if called == "iter" and len(made[3]) == 1:
            return _loader(reader, module, made[3][0][1])
        if called in _LISTS:
            return ""
        chain = [made, *steps_before(reader, made)]
        names = [reader.dotted(step[2]) for step in chain]
        if any(name in LOADERS or name.startswith(OF_DATA) for name in names):
            return word or called
        own = [one.is_generator for one in module.functions if one.name == called]
        if tokens_of(called) & (_YIELDING if own else _OF_BATCHES) and all(own):
            return called
    elif made is not None and made[0] not in ("load", "attr", "item"):
        return ""
    tokens = tokens_of(word)
    return word if tokens & _LOADING or word.lower().endswith("loader") else ""
