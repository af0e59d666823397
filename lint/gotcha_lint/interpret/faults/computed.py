"""What a function computes for nothing, over too much, or with the wrong bound: by its text."""

from __future__ import annotations

from gotcha_lint.domain.sites import Site
from gotcha_lint.facts.contexts import CONTEXTS
from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.faults.set_orders import SET_ORDER
from gotcha_lint.interpret.layers.kernels import ONE_AXIS
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.bound_comparisons import bound_comparisons
from gotcha_lint.patterns.data.copied_arrays import copied_arrays
from gotcha_lint.patterns.data.data_pipelines import Lineage, computed_per_example
from gotcha_lint.patterns.device_counts import splits_by_all
from gotcha_lint.patterns.ignored_parameters import ignored_parameters
from gotcha_lint.patterns.mapped_steps import (
    averages_gradients,
    losses_of_one,
    mixed_examples,
    steps_over,
    unreduced_gradients,
)
from gotcha_lint.patterns.masked_means import masked_means
from gotcha_lint.patterns.overwritten_results import overwritten_results
from gotcha_lint.patterns.string_sets import ordered_by_sets
from gotcha_lint.patterns.training.attention_widths import head_widths
from gotcha_lint.patterns.training.clipped_norms import clipped_norms
from gotcha_lint.patterns.training.dropout_off import dropout_off
from gotcha_lint.patterns.training.dropped_statistics import dropped_statistics
from gotcha_lint.patterns.training.half_types import half_types, is_unscaled
from gotcha_lint.patterns.training.initial_weights import zero_pairs
from gotcha_lint.patterns.training.inverted_flags import inverted_flags
from gotcha_lint.patterns.training.kernel_axes import kernels_of_one_axis
from gotcha_lint.patterns.training.layer_arguments import misplaced_arguments
from gotcha_lint.patterns.training.layer_types import untyped_layers
from gotcha_lint.patterns.training.schedule_lengths import short_schedules
from gotcha_lint.patterns.training.unmasked_decay import unmasked_decays
from gotcha_lint.patterns.unused_keys import unused_keys
from gotcha_lint.patterns.unused_results import unused_results
from gotcha_lint.patterns.vain_contexts import vain_contexts
from gotcha_lint.program.ir import Function, Module, Register
from gotcha_lint.program.links import Links

UNUSED, MASKED_MEAN = "unused result", "masked mean"
CLIPPED_NORM = "clipped norm"
VAIN_CONTEXT, OVERWRITTEN = "vain context", "overwritten result"
IGNORED_PARAMETER = "ignored parameter"
COPIED, UNUSED_KEYS = "copied array", "unused keys"
_MODULES = frozenset(
    ("flax.linen.Module", "flax.nnx.Module", "equinox.Module", "haiku.Module")
)  # fmt: skip
MISPLACED, HEAD_WIDTH = "misplaced argument", "width of one head"
UNTYPED, UNSCALED = "layer without type", "unscaled half"
DROPPED_STATISTICS, DROPOUT_OFF = "dropped statistics", "dropout off"
PER_EXAMPLE = "for each example"
INVERTED_FLAG = "inverted flag"
ZERO_PAIR = "layers of zeros"
BOUND_COMPARISON = "bound comparison"
SHORT_SCHEDULE, SPLIT_BY_ALL = "short schedule", "split by all devices"
UNMASKED_DECAY = "unmasked decay"
UNREDUCED, LOSS_OF_ONE, MIXED = "unreduced gradients", "loss of one device", "mixed examples"


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
        text = (one.name, one.of, one.word, "replaced" if one.replaced else "")
        note(machine, UNUSED, function, one.span, *text, maybe=not one.certain)
    for mean in masked_means(function):
        places = ((function.path, mean.product, "masked here"),)
        note(
            machine, MASKED_MEAN, function, mean.span, mean.name, mean.mask, places=places,
            maybe=not mean.certain,
        )  # fmt: skip
    for grown in copied_arrays(module, function):
        places = ((function.path, grown.loop, "in the iterations of this loop"),)
        note(machine, COPIED, function, grown.span, grown.word, *grown.names, places=places)
    for split in unused_keys(module, function):
        how = "all" if split.all_of_them else ""
        note(machine, UNUSED_KEYS, function, split.span, how, split.parent, *split.names)
    for bound in bound_comparisons(module, function):
        places = ((function.path, bound.use, "used as a value"),)
        text = bound.name, *map(str, bound.compared)
        note(machine, BOUND_COMPARISON, function, bound.span, *text, places=places)
    for name, span in ignored_parameters(links, function):
        note(machine, IGNORED_PARAMETER, function, span, name)
    for ordered in ordered_by_sets(module, function):
        note(machine, SET_ORDER, function, ordered.span, ordered.what)
    for clip in clipped_norms(module, function):
        note(machine, CLIPPED_NORM, function, clip.span, clip.word)
    _check_pipeline(machine, module, function)
    _check_layers(machine, links, module, function)
    _check_steps(machine, links, module, function)
    _check_mapped(machine, links, module, function)


def _check_layers(machine: Machine, links: Links, module: Module, function: Function) -> None:
    """What layers are given."""
    for one in misplaced_arguments(module, function):
        how = "raises" if one.raises else ""
        text = (one.layer, one.field, one.what, ", ".join(one.order), how)
        note(machine, MISPLACED, function, one.span, *text)
    for kernel in kernels_of_one_axis(module, function):
        places = ((function.path, kernel.other, f"this window has {kernel.axes} axes"),)
        note(
            machine, ONE_AXIS, function, kernel.span, kernel.layer, str(kernel.number),
            places=places,
        )  # fmt: skip
    for flag in inverted_flags(function):
        note(machine, INVERTED_FLAG, function, flag.span, flag.name, flag.argument)
    for pair in zero_pairs(module, function):
        places = ((function.path, pair.second, "the layer behind it, which starts at zero, too"),)
        note(machine, ZERO_PAIR, function, pair.span, places=places)
    for width in head_widths(module, function):
        note(machine, HEAD_WIDTH, function, width.span, width.layer, width.what)
    for bare in untyped_layers(links, module, function):
        places = ((function.path, bare.typed, f"this one is given `{bare.given}`"),)
        note(machine, UNTYPED, function, bare.span, bare.layer, bare.given, places=places)
    for span in half_types(module, function):
        if is_unscaled(machine.modules[path] for path in machine.visible):
            note(machine, UNSCALED, function, span)


def _check_steps(machine: Machine, links: Links, module: Module, function: Function) -> None:
    """Batch statistics, schedules, and how many devices a batch is for."""
    for dropped in dropped_statistics(links, function):
        places = ((function.path, dropped.at, "dropped here"),)
        note(machine, DROPPED_STATISTICS, function, dropped.span, places=places)
    for off in dropout_off(function, links, (machine.modules[path] for path in machine.visible)):
        places = ((*off.dropout, "a dropout of the program"),)
        note(machine, DROPOUT_OFF, function, off.span, off.flag, places=places)
    for short in short_schedules(module, function, links):
        places = ((*short.field, "subtracted here"),) if short.field is not None else ()
        note(machine, SHORT_SCHEDULE, function, short.span, short.warmup, places=places)
    for decay in unmasked_decays(module, function):
        maybe = not decay.is_written
        note(machine, UNMASKED_DECAY, function, decay.span, decay.word, maybe=maybe)
    for split in splits_by_all(module, function, links):
        places = ((*split.use, "split by it here"),)
        note(machine, SPLIT_BY_ALL, function, split.span, places=places)


def _check_mapped(machine: Machine, links: Links, module: Module, function: Function) -> None:
    """What the devices of a step under `pmap` keep for themselves, or mix."""
    for step in steps_over(module, function, links):
        for one in unreduced_gradients(step, links):
            places = ((*one.mapped, "mapped here, and no device exchanges anything"),)
            note(machine, UNREDUCED, step.function, one.span, places=places)
    for loss in losses_of_one(function, links):
        places = ((*loss.read, "the first device's is taken here"),)
        note(machine, LOSS_OF_ONE, loss.step, loss.span, loss.step.name, places=places)
    for mixed in mixed_examples(function, links):
        places = ((function.path, mixed.made, "one value for each example"),)
        note(
            machine, MIXED, function, mixed.span, mixed.word, places=places,
            maybe=not averages_gradients(module, links),
        )  # fmt: skip


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


def _lineage(machine: Machine, function: Function) -> Lineage:
    """What the class of a method extends, and what it defines."""
    cls = machine.classes_made.get(function.parent) if function.parent is not None else None
    return ((), ()) if cls is None else (cls.info["library"], _defined(cls))


def _defined(cls: Site) -> set[str]:
    return cls.info["function"].locals.union(*map(_defined, cls.info["bases"]))


def _check_pipeline(machine: Machine, module: Module, function: Function) -> None:
    """Arrays of the device that a loader makes one by one."""
    found = computed_per_example(module, function, lambda f: _lineage(machine, f))
    if found is not None:
        note(machine, PER_EXAMPLE, function, found.span, str(found.others))
