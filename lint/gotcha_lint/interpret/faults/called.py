"""Calls and writes that fail, or do nothing, whatever they are given.

Most are known by the text, tests too; a policy that is called, by what the name stands for.
"""

from __future__ import annotations

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import Library, Value
from gotcha_lint.facts.remat import POLICIES
from gotcha_lint.interpret.faults.remarks import note, remark
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.rematerialised_flags import rematerialised_flags
from gotcha_lint.patterns.training.frozen_modules import frozen_writes
from gotcha_lint.patterns.training.plain_containers import plain_containers
from gotcha_lint.patterns.training.rematerialisation import negative_statics
from gotcha_lint.patterns.training.swapped_updates import swapped_updates
from gotcha_lint.program.ir import Function
from gotcha_lint.program.links import Links

CALLED_POLICY = "called policy"
NEGATIVE_STATIC = "negative static"
PLAIN_CONTAINER = "plain container"
REMAT_FLAG = "flag of a rematerialised layer"
FROZEN_WRITE, SWAPPED = "frozen write", "swapped updates"


def check_called(machine: Machine, links: Links, function: Function) -> None:
    for span, last in negative_statics(links, function):
        note(machine, NEGATIVE_STATIC, function, span, str(last or ""))
    for flag in rematerialised_flags(links, function):
        places = ((flag.path, flag.use, "its truth value is needed here"),)
        note(machine, REMAT_FLAG, function, flag.span, flag.name, places=places)
    for swapped in swapped_updates(machine.modules[function.path], function):
        path = function.path
        places = ((path, swapped.update, "the updates come from here"),) if swapped.update else ()
        note(machine, SWAPPED, function, swapped.span, swapped.words, places=places)
    for held in plain_containers(links, function):
        note(machine, PLAIN_CONTAINER, function, held.span, held.name, held.kind)
    for write in frozen_writes(links, function):
        note(machine, FROZEN_WRITE, function, write.span, write.target)


def check_policy(machine: Machine, callee: Value, span: Span) -> None:
    """`everything_saveable()`, without arguments; of several that it may be, each is a policy."""
    names = [atom.name for atom in callee.atoms if isinstance(atom, Library)]
    if callee.unknown or machine.trying or len(names) < len(callee.atoms):
        return
    if names and all(name in POLICIES for name in names):
        remark(machine, CALLED_POLICY, span, names[0].rpartition(".")[2])
