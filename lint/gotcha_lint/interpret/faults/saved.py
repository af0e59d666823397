"""What is wrong with a checkpoint: a relative path, a replicated state, one that is not found."""

from __future__ import annotations

from gotcha_lint.facts.optax import ABSOLUTE_PATHS
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.relative_paths import RelativePaths
from gotcha_lint.patterns.saved_states import SavedStates
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Module
from gotcha_lint.program.links import Links
from gotcha_lint.program.origins import Origins

RELATIVE_PATH = "relative path"
REPLICATED, UNSEEN = "replicated state saved", "restore that finds nothing"


_SAVING = ("checkpoint", "serialization")


def check_checkpoints(machine: Machine, origins: Origins, module: Module) -> None:
    """What a file saves and restores, itself or through helpers."""
    links = origins.links
    modules = [machine.modules[path] for path in machine.visible]
    if not any(map(_may_save, modules)):
        return
    if not is_test(module.path):
        _check_states(machine, links, module)
    paths = RelativePaths(origins, modules, ABSOLUTE_PATHS)
    for function in links.bodies(module):
        for one in paths.of(function):
            path, span = one.sink
            within = next(
                (f for f in machine.modules[path].functions
                 if not f.is_module and f.line <= span[0] <= f.end_line),
                machine.modules[path].top,
            )  # fmt: skip
            written_there = one.source == one.sink
            places = () if written_there else ((*one.source, "the path"),)
            how = "always" if one.always else ""
            note(machine, RELATIVE_PATH, within, span, one.text, how, places=places)


def _check_states(machine: Machine, links: Links, module: Module) -> None:
    states = SavedStates(links)
    for function in links.bodies(module):
        for save in states.replicated(module, function):
            places = [(module.path, save.replicated, "replicated here")]
            if save.restored is not None:
                text = "restored here, into a state that is not replicated"
                places.append((module.path, save.restored, text))
            note(machine, REPLICATED, function, save.span, save.name, places=tuple(places))
        for one in states.unseen(function):
            called = () if one.caller is None else ((*one.caller, "called here"),)
            note(machine, UNSEEN, one.within, one.call[1], places=called)


def _may_save(module: Module) -> bool:
    return any(
        step[0] == "import" and any(word in f"{step[2]} {step[4]}" for word in _SAVING)
        for step in steps_of(module.top)
    )
