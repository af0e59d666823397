"""A compiled function that a loop calls for each row of an array, where one call would do."""

from __future__ import annotations

from collections.abc import Sequence

from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.tracers import TRACED
from gotcha_lint.domain.value import UNKNOWN, Array, Object, Value
from gotcha_lint.facts.paths import is_benchmark, is_test, names_benchmark
from gotcha_lint.facts.pipelines import MAPPED
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.data.rows import FEW, RowCall, is_mapped, row_calls, says_many
from gotcha_lint.program.ir import Function

ROW_BY_ROW = "row by row"
_IN_PLACE = frozenset(("flax.nnx.jit", "flax.nnx.pmap"))  # they change the modules they are given
_LAYERS = 8  # of transforms around transforms


def check_rows(
    machine: Machine, site: Site, function: Function | None, parameters: Sequence[str], span: Span
) -> None:
    """`parameters`: those of the compiled function that a call gives by position."""
    caller = machine.activation.function
    module = machine.modules.get(machine.path)
    if machine.traced or not machine.loops or module is None or _is_timed(machine.path, caller):
        return
    found = row_calls(module, caller).get(span)
    if found is None or _is_short(machine, found) or _maps(site):
        return
    given = [n if isinstance(n, str) else "".join(parameters[n : n + 1]) for n in found.arguments]
    names = {found.words, "" if function is None else function.name} - {""}
    if any(map(says_many, given)) or is_mapped(module, names):
        return
    registers = machine.activation.registers
    if all(_has_rows(registers.get(rows, UNKNOWN), cut) for rows, cut in found.rows):
        path = machine.path
        places = (
            (path, found.join, "joined here"),
            (path, found.callee, ""),
            (path, found.array, ""),
        )
        remark(machine, ROW_BY_ROW, span, places=places)


def _is_timed(path: str, function: Function) -> bool:
    return is_test(path) or is_benchmark(path) or names_benchmark(function.name)


def _is_short(machine: Machine, found: RowCall) -> bool:
    return (machine.path, *found.loop[:2]) in machine.short


def _maps(site: Site) -> bool:
    """Is the function mapped already, or does it change a module that it is given?"""
    if site.info["library"] in _IN_PLACE or site.info["word"] in MAPPED:
        return True
    atom = site.info["inner"].only
    for _ in range(_LAYERS):
        if not isinstance(atom, Object) or atom.site.kind != "transform":
            return False
        if atom.site.info["word"] in MAPPED:
            return True
        atom = atom.site.info["inner"].only
    return False


def _has_rows(value: Value, is_cut: bool) -> bool:
    """An array of the host or the device; `is_cut`: into rows of many, or written out."""
    array = value.only
    if not isinstance(array, Array) or array.place == "python" or TRACED in value.marks:
        return False
    if is_cut and array.key is None:
        return False
    return array.shape is None or (len(array.shape) > 0 and array.shape[0].high > FEW)
