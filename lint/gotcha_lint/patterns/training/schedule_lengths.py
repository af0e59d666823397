"""Schedules whose length leaves out the warm-up that it counts (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.patterns.same_value import bare, written
from gotcha_lint.patterns.training.attention_widths import given
from gotcha_lint.patterns.training.layer_arguments import name_of
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.reader import NamedReader

# Of optax 0.2.8: the only schedule whose length counts its warm-up; the exponential one does not.
_COUNTS_WARMUP = "warmup_cosine_decay_schedule"
_NAMES = frozenset((f"optax.{_COUNTS_WARMUP}", f"optax.schedules.{_COUNTS_WARMUP}"))
_WARMUP, _LENGTH = (2, "warmup_steps"), (3, "decay_steps")


@dataclass(frozen=True)
class ShortSchedule:
    """`warmup`: the name of what is subtracted; empty where it has none. `field`: where a class of
    the program subtracts it, in a default.
    """

    span: Span
    warmup: str
    field: tuple[str, Span] | None = None


def short_schedules(module: Module, function: Function, links: Links) -> Iterator[ShortSchedule]:
    """The schedules of one function with `decay_steps=total - warmup_steps`."""
    if _COUNTS_WARMUP not in names_used(function):
        return
    reader = NamedReader(module, function)
    for call in steps_of(function):
        if call[0] != "call" or reader.dotted(call[2]) not in _NAMES:
            continue
        if any(star for star, _ in call[3]):
            continue
        warmup, length = given(call, *_WARMUP), given(call, *_LENGTH)
        made = reader.made(bare(reader, length)) if length is not None else None
        if warmup is not None and made is not None and made[0] == "attr":
            yield from _of_fields(links, reader, call, made, warmup)
        if warmup is None or made is None or made[0] != "binop" or made[2] != "Sub":
            continue
        if _is_same(reader, made[4], warmup):
            yield ShortSchedule(call[-1], name_of(reader, reader.makers.get(made[4])))


def _of_fields(
    links: Links, reader: NamedReader, call: Instruction, length: Instruction, warmup: Register
) -> Iterator[ShortSchedule]:
    """`config.decay_steps`, of a class with `decay_steps: int = steps - warmup_steps`."""
    given = reader.made(bare(reader, warmup))
    link = links.of_register(reader.function, length[2])
    if given is None or given[0] != "attr" or link is None or link.kind != "instance":
        return
    found = links.in_class(link.function, length[3])
    makers = links.makers(found[0]) if found is not None else {}
    made = makers.get(found[1]) if found is not None else None
    taken = makers.get(made[4]) if made is not None and made[:1] == ("binop",) else None
    if found is None or made is None or taken is None or made[2] != "Sub" or taken[0] != "load":
        return
    if taken[2] == given[3] and written(reader, given[2]) == written(reader, length[2]):
        yield ShortSchedule(call[-1], given[3], (found[0].path, made[-1]))


def _is_same(reader: NamedReader, taken: Register, warmup: Register) -> bool:
    taken, warmup = bare(reader, taken), bare(reader, warmup)
    one, other = written(reader, taken), written(reader, warmup)
    if one is not None and one == other:
        return True
    names = (name_of(reader, reader.makers.get(each)) for each in (taken, warmup))
    return all("warmup" in name.lower().replace("_", "") for name in names)
