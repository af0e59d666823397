"""What a function computes for nothing, over too much, or with the wrong bound: by its text."""

from __future__ import annotations

from gotcha_lint.facts.contexts import CONTEXTS
from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.clipped_norms import clipped_norms
from gotcha_lint.program.ir import Function, Module, Register
from gotcha_lint.program.links import Links
from gotcha_lint.program.masked_means import masked_means
from gotcha_lint.program.overwritten_results import overwritten_results
from gotcha_lint.program.unused_results import unused_results
from gotcha_lint.program.vain_contexts import vain_contexts

UNUSED, MASKED_MEAN = "unused result", "masked mean"
CLIPPED_NORM = "clipped norm"
VAIN_CONTEXT, OVERWRITTEN = "vain context", "overwritten result"
_MODULES = frozenset(
    ("flax.linen.Module", "flax.nnx.Module", "equinox.Module", "haiku.Module")
)  # fmt: skip


def check_computed(machine: Machine, links: Links, module: Module, function: Function) -> None:
    """Results that nothing reads, and means over masked positions, norms that bound elements."""
    for context in vain_contexts(module, function, CONTEXTS):
        note(machine, VAIN_CONTEXT, function, context.span, context.name)
    lost = list(overwritten_results(module, function, lambda *at: _is_module(links, *at)))
    for each in lost:
        given = ", ".join(f"`{name}`" for name in each.given)
        note(machine, OVERWRITTEN, function, each.span, each.name, given)
    told = {each.span for each in lost}
    for one in unused_results(module, function, links):
        if one.span in told:
            continue
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


def _is_module(links: Links, function: Function, register: Register) -> bool:
    """Is it a class of the program, with layers? A register of -1: is the function its body?"""
    body = function
    if register >= 0:
        link = links.of_register(function, register)
        if link is None or link.kind != "class":
            return False
        body = link.function
    lineage = links.lineage(body) if body.is_class else None
    return lineage is not None and any(
        name in _MODULES for _, parts in lineage for name in parts.library
    )
