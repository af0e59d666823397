"""Objects of nnx that are changed where the change is lost, or where Flax refuses it."""

from __future__ import annotations

from collections.abc import Callable

from gotcha_lint.facts import Transform
from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.training.nnx_captures import NnxCaptures
from gotcha_lint.patterns.training.nnx_changes import NnxChanges
from gotcha_lint.patterns.training.nnx_traces import NnxTraces
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Instruction, Module
from gotcha_lint.program.origins import Origins

OTHER_TRACE, COPIED = "nnx object of another trace", "nnx object is copied"
STALE_WEIGHTS = "nnx weights are captured"


def check_nnx(
    machine: Machine,
    origins: Origins,
    module: Module,
    transform_of: Callable[[str], Transform | None],
) -> None:
    """All functions of a file that the file itself gives to transforms."""
    bodies = origins.links.bodies(module)
    if not any(_imports_nnx(i) for body in bodies for i in steps_of(body)):
        return
    traces = NnxTraces(NnxChanges(origins, transform_of))
    for body in bodies:
        for traced in traces.traced(body):
            place = (traced.path, traced.span, "traced here")
            for change in traces.captured(traced):
                note(
                    machine, OTHER_TRACE, change.within, change.span, change.how,
                    traced.function.name, *map(str, change.text), places=(place,),
                )  # fmt: skip
            lost = traces.lost(traced)
            if lost is not None:
                note(
                    machine, COPIED, lost.within, lost.span, lost.name, traced.function.name,
                    places=(place,),
                )  # fmt: skip
    captures = NnxCaptures(traces, bodies)
    for body in bodies if captures.compiled else ():
        for stale in captures.stale(body):
            places = [(body.path, stale.changed, f"`{stale.name}` changes here")]
            if stale.called is not None:
                places.append((body.path, stale.called, "compiled, called here"))
            name = stale.function.name if stale.function is not None else ""
            note(
                machine, STALE_WEIGHTS, stale.function or body, stale.read, stale.name, name,
                places=tuple(places),
            )  # fmt: skip


def _imports_nnx(i: Instruction) -> bool:
    return i[0] == "import" and "nnx" in (*str(i[2]).split("."), i[4])
