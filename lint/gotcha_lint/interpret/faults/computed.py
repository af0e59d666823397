"""What a function computes for nothing, over too much, or with the wrong bound: by its text."""

from __future__ import annotations

from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.clipped_norms import clipped_norms
from gotcha_lint.program.ir import Function, Module
from gotcha_lint.program.links import Links
from gotcha_lint.program.masked_means import masked_means
from gotcha_lint.program.unused_results import unused_results

UNUSED, MASKED_MEAN = "unused result", "masked mean"
CLIPPED_NORM = "clipped norm"


def check_computed(machine: Machine, links: Links, module: Module, function: Function) -> None:
    """Results that nothing reads, and means over masked positions, norms that bound elements."""
    for one in unused_results(module, function, links):
        maybe = not one.certain
        note(machine, UNUSED, function, one.span, one.name, one.of, one.word, maybe=maybe)
    for mean in masked_means(function):
        places = ((function.path, mean.product, "masked here"),)
        note(
            machine, MASKED_MEAN, function, mean.span, mean.name, mean.mask, places=places,
            maybe=not mean.certain,
        )  # fmt: skip
    for clip in clipped_norms(module, function):
        note(machine, CLIPPED_NORM, function, clip.span, clip.word)
