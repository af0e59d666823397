"""Jitted functions that a dictionary keeps under a key that does not fit."""

from __future__ import annotations

from gotcha_lint.domain.value import Object, Value
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.compiled import Inner
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.cache_keys import wrong_key
from gotcha_lint.program.ir import Instruction

OTHER_KEY, SHORT_KEY = "other key", "short key"
_COMPILING = frozenset(("jit", "pmap", "shard_map"))


def check_kept(machine: Machine, setitem: Instruction, value: Value) -> None:
    """`steps[key] = jax.jit(f)`."""
    compiled = [
        atom
        for atom in value.atoms
        if isinstance(atom, Object) and atom.site.info.get("word") in _COMPILING
    ]
    if not compiled or machine.traced or is_test(machine.path):
        return
    inner = Inner(machine, compiled[0].site.info["inner"]) if len(value.atoms) == 1 else None
    function = machine.activation.function
    fault = wrong_key(function, setitem, None if inner is None else inner.function)
    if fault is None:
        return
    path = machine.path
    if fault.asked is None:
        places = ((path, fault.stored, "the key"),)
        remark(machine, SHORT_KEY, fault.span, fault.missing, places=places)
    else:
        places = ((path, fault.asked, "looked for here"), (path, fault.stored, "stored"))
        remark(machine, OTHER_KEY, fault.span, fault.cache, places=places)
