"""Policies of `jax.checkpoint` that are called, where they are to be handed on."""

from __future__ import annotations

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import Library, Value
from gotcha_lint.facts.remat import POLICIES
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.machine import Machine

CALLED_POLICY = "called policy"


def check_policy(machine: Machine, callee: Value, span: Span) -> None:
    """`everything_saveable()`, without arguments; of several that it may be, each is a policy."""
    names = [atom.name for atom in callee.atoms if isinstance(atom, Library)]
    if callee.unknown or machine.trying or len(names) < len(callee.atoms):
        return
    if names and all(name in POLICIES for name in names):
        remark(machine, CALLED_POLICY, span, names[0].rpartition(".")[2])
