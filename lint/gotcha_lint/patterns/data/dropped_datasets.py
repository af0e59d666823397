"""Steps of a pipeline of data whose result is dropped: `dataset.prefetch(2)` as a statement.

The methods of `tf.data`, Grain and Hugging Face give a new data set and leave the old one as it is
(floor `patterns`). It under-approximates: that something is such a data set, it says of a chain
that begins at one of these libraries, or that has two steps which nothing else has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.patterns.data.pipeline_order import OF_DATA, steps_before
from gotcha_lint.patterns.training.layer_arguments import name_of, tokens_of
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Span
from gotcha_lint.program.reader import NamedReader

_STEPS = frozenset(
    ("prefetch", "shuffle", "batch", "padded_batch", "map", "filter", "repeat", "cache", "take",
     "skip", "shard", "with_options", "unbatch", "interleave", "to_iter_dataset", "mix", "seed",
     "select", "rename_column", "rename_columns", "remove_columns", "with_format", "sort")
)  # fmt: skip
_TELLING = frozenset(
    ("prefetch", "padded_batch", "as_dataset", "from_tensor_slices", "from_generator", "cache",
     "repeat", "batch", "unbatch", "with_options", "to_iter_dataset", "interleave")
)  # fmt: skip
_NAMES = frozenset(("dataset", "ds", "dset", "datasets"))
_LIBRARIES = ("tensorflow", "tensorflow_datasets", "grain")


@dataclass(frozen=True)
class DroppedStep:
    """`method` of the data set that is called, `name`, where it has one."""

    path: str
    span: Span
    method: str
    name: str


def dropped_steps(module: Module) -> Iterator[DroppedStep]:
    """Those of a file."""
    for function in module.functions:
        yield from _dropped_steps(module, function)


def _dropped_steps(module: Module, function: Function) -> Iterator[DroppedStep]:
    if _STEPS.isdisjoint(names_used(function)):
        return
    reader = NamedReader(module, function)
    for i in steps_of(function):
        call = reader.makers.get(i[2]) if i[0] == "discard" else None
        if call is None or call[0] != "call":
            continue
        method = reader.function_of(call)
        if method in _STEPS and reader.is_method(call) and _is_dataset(reader, call):
            base = reader.makers.get(reader.makers[call[2]][2])
            yield DroppedStep(module.path, call[-1], method, name_of(reader, base))


def _is_dataset(reader: NamedReader, call: Instruction) -> bool:
    before = steps_before(reader, call)
    if any(reader.dotted(step[2]).startswith(OF_DATA) for step in before):
        return True
    telling = {reader.function_of(step) for step in before} & _TELLING
    method = reader.function_of(call)
    if telling and method in _TELLING | {"shuffle"}:
        return True
    base = reader.makers.get(reader.makers[call[2]][2])
    named = bool(tokens_of(name_of(reader, base)) & _NAMES)
    known = any(name.startswith(_LIBRARIES) for name in reader.imports.values())
    return named and known and method in _TELLING
