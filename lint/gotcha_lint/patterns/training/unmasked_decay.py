"""Optimizers that decay every leaf, biases and norms as well (floor `patterns`).

Must, that no mask is given; whether the model has biases or norms is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.patterns.training.attention_widths import given
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Module, Span
from gotcha_lint.program.reader import NamedReader

# By name (optax 0.2.8): the positions of the decay and of its mask; does it decay by default?
DECAYS = {
    "adamw": (6, 7, True),
    "nadamw": (6, 7, True),
    "adamaxw": (4, 5, True),
    "lion": (4, 5, True),
    "lamb": (5, 6, False),
    "adan": (6, 7, False),
    "add_decayed_weights": (0, 1, False),
}
CHOOSES = frozenset(("masked", "multi_transform", "partition", "set_to_zero"))


@dataclass(frozen=True)
class UnmaskedDecay:
    """`word`: the function of optax; `is_written`: the decay is given, not that of optax."""

    span: Span
    word: str
    is_written: bool


def unmasked_decays(module: Module, function: Function) -> Iterator[UnmaskedDecay]:
    """The optimizers of one function that are given no mask.

    None where the function chooses which leaves an optimizer is for, in any way that is known.
    """
    used = names_used(function)
    if DECAYS.keys().isdisjoint(used) or not CHOOSES.isdisjoint(used):
        return
    reader = NamedReader(module, function)
    for call in steps_of(function):
        library, _, word = (
            reader.dotted(call[2]).rpartition(".") if call[0] == "call" else ("",) * 3
        )
        if library != "optax" or word not in DECAYS:
            continue
        if any(star for star, _ in call[3]) or any(key is None for key, _ in call[4]):
            continue
        at, mask_at, decays = DECAYS[word]
        decay = given(call, at, "weight_decay")
        made = reader.made(decay) if decay is not None else None
        is_none = made is not None and made[0] == "const" and not made[2]
        if given(call, mask_at, "mask") is None and not is_none and (decays or decay is not None):
            yield UnmaskedDecay(call[-1], word, decay is not None)
