"""Imports: modules of the project run once, at the bottom of the state; others are libraries.

What may be imported is what the module at hand imports at any distance (`Machine.visible`): what
else there is of the project changes nothing.
"""

from __future__ import annotations

import math
from typing import Any

from gotcha_lint.domain.sites import Frame, Site, Span
from gotcha_lint.domain.value import (
    NO_MARKS,
    UNKNOWN,
    Library,
    Object,
    Tuple,
    Value,
    constant,
    only,
)
from gotcha_lint.interpret.call import canonical
from gotcha_lint.interpret.faults.names import (
    check_missing,
    check_module,
    check_name,
    check_private,
)
from gotcha_lint.interpret.garbage import collect
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.machine import RESERVE, Instruction, Machine, OutOfBudget
from gotcha_lint.interpret.start.backend import note_import
from gotcha_lint.interpret.state import Activation

MODULE_BUDGET = 60_000  # instructions
_NUMBERS = {"inf": float("inf"), "pi": math.pi, "e": math.e, "newaxis": None}
_BUSY = 1_000  # instructions of a module that does more than define


def import_name(machine: Machine, module: str, level: int, name: str | None, span: Span) -> Value:
    """`import module`, or `from module import name`."""
    full = "." * level + module
    path = machine.find_module(full)
    if path is not None:
        loaded = load_module(machine, path)
        note_import(machine, path, span)
        if not machine.is_certain_module(full):
            machine.doubtful.add((machine.path, path))
        if name is None:
            return loaded
        value = machine.read((path, name))
        if value is not None:
            return value
        below = _submodule(machine, full, name, span)
        if below.unknown:
            check_name(machine, path, name, span, "import")
        return below
    if name is not None and (level or machine.find_module(f"{full}.{name}")):
        check_missing(machine, full, name, span)
        return _submodule(machine, full, name, span)
    package, _, last = full.rpartition(".")
    above = machine.find_module(package) if level == 0 and package else None
    if above is not None and machine.is_certain_module(package):
        check_module(machine, above, last, span)
    elif above is None:
        check_missing(machine, full, name, span)
    dotted = f"{full}.{name}" if name else full
    check_private(machine, module if level == 0 else "", dotted, span)
    return only(Library(canonical(dotted), machine.origin(span)))


def _submodule(machine: Machine, package: str, name: str, span: Span) -> Value:
    path = machine.find_module(package + name if package.endswith(".") else f"{package}.{name}")
    if path is None:
        return UNKNOWN
    loaded = load_module(machine, path)
    note_import(machine, path, span)
    return loaded


def module_attribute(machine: Machine, path: str, name: str, span: Span) -> Value:
    """`package.name` where the package's own file does not bind it: a module in it."""
    found = machine.find_module_below(path, name)
    if found is None:
        check_name(machine, path, name, span, "attribute")
        return UNKNOWN
    return load_module(machine, found)


def library_attribute(machine: Machine, dotted: str, span: Span) -> Value:
    """`a.b` of a library, or of a package of the project that has no `__init__` of its own."""
    path = machine.find_module(dotted)
    if path is not None:
        return load_module(machine, path)
    name = dotted.rpartition(".")[2]
    if name in _NUMBERS and dotted.removesuffix(f".{name}") in ("numpy", "jax.numpy", "math"):
        return constant(_NUMBERS[name], machine.origin(span))
    return only(Library(canonical(dotted), machine.origin(span)))


def import_all(machine: Machine, instruction: Instruction) -> None:
    """`from module import *`: of a module of the project, all its names."""
    _, _, module, level, _ = instruction
    path = machine.find_module("." * level + module)
    if path is None:
        return
    load_module(machine, path)
    note_import(machine, path, instruction[-1])
    offered = _offered(machine, path)
    for layer in list(machine.layers):
        for location in [location for location in layer if location[0] == path]:
            hidden = location[1].startswith("_") if offered is None else location[1] not in offered
            if not hidden:
                machine.write((machine.path, location[1]), layer[location])


def _offered(machine: Machine, path: str) -> frozenset[Any] | None:
    """The names in `__all__`, where they are written out."""
    held = machine.peek((path, "__all__"))
    content = None if held is None else contents(machine, held)
    if not isinstance(content, Tuple):
        return None
    return frozenset(item.constant for item in content.items)


def load_module(machine: Machine, path: str) -> Value:
    """The module at a path, as a value; it is run when it is first asked for."""
    key = ("module", path)
    site = machine.sites.get(key)
    if site is None:
        site = machine.sites[key] = Site("module", path, (1, 1, 1, 1))
        run_module(machine, path)
    return only(Object(site))


def run_module(machine: Machine, path: str) -> None:
    """Runs the body of a module, whatever imports it, from the state that the others left."""
    module = machine.modules[path]
    saved = machine.save()
    budget, machine.budget = machine.budget, MODULE_BUDGET
    reserve, machine.reserve = machine.reserve, MODULE_BUDGET // RESERVE
    machine.path, machine.layers = module.path, list(machine.bottom)
    machine.loops, machine.current, machine.guards = [], NO_MARKS, ()
    machine.traced = machine.guarded = 0
    trying, machine.trying = machine.trying, 0
    depth = len(machine.activations)
    machine.activations.append(Activation(module.top, Frame(module.top), (), 0))
    machine.loading.add(path)
    machine.import_starts.pop(path, None)
    try:
        machine.run(module.top.body)
    except (OutOfBudget, RecursionError) as error:
        machine.failures.append((module.path, "<module>", type(error).__name__))
    except Exception as error:  # a fault of ours in one module does not hide the others
        machine.failures.append((module.path, "<module>", f"{type(error).__name__}: {error}"))
    finally:
        machine.loading.discard(path)
        del machine.activations[depth:]
        for layer in machine.layers[len(machine.bottom) :]:
            machine.bottom[-1].update(layer)
        machine.restore(saved)
        machine.trying = trying
        spent, machine.budget = MODULE_BUDGET - machine.budget, budget
        machine.reserve = reserve
    if depth == 1 and spent > _BUSY:
        collect(machine.bottom)
