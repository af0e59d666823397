"""Relative paths that reach Orbax through functions and options."""

from __future__ import annotations

from gotcha_lint.facts.optax import ABSOLUTE_PATHS
from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.relative_paths import RelativePaths
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Module
from gotcha_lint.program.links import Links

RELATIVE_PATH = "relative path"


def check_paths(machine: Machine, links: Links, module: Module) -> None:
    """Those that a file gives, or declares as a default."""
    modules = [machine.modules[path] for path in machine.visible]
    if not any(map(_may_save, modules)):
        return
    paths = RelativePaths(links, modules, ABSOLUTE_PATHS)
    for function in links.bodies(module):
        for one in paths.of(function):
            path, span = one.sink
            within = next(
                (f for f in machine.modules[path].functions
                 if not f.is_module and f.line <= span[0] <= f.end_line),
                machine.modules[path].top,
            )  # fmt: skip
            places = ((*one.source, "the path"),)
            note(machine, RELATIVE_PATH, within, span, one.text, places=places)


def _may_save(module: Module) -> bool:
    return any(
        step[0] == "import" and ("checkpoint" in step[2] or step[4] == "checkpoints")
        for step in steps_of(module.top)
    )
