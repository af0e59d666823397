"""Parameters that are annotated with a class of the program: what an object of it gives.

`def loss(model: Model, x)` gets an object that somebody else has made. What its call gives is what
an object gives that is made without options, if it is of half precision: such a type is chosen in
the class, and a caller would have to choose another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import UNKNOWN, Array, Object, Symbol, Tuple, Value, join, only
from gotcha_lint.facts.halves import HALVES
from gotcha_lint.interpret.heap import class_attribute, is_module_class
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.ir import Function

_NAME = re.compile(r"[^\W\d]\w*")
_CALLS: tuple[tuple[str, ...], ...] = ((), (".apply",))
_DEPTH = 3


def classes_of(machine: Machine, function: Function, parameter: str) -> Iterator[Site]:
    """The classes of neural networks that the annotation of a parameter names."""
    for annotation in (p.annotation for p in function.parameters if p.name == parameter):
        for name in _NAME.findall(annotation):
            value = machine.read((function.path, name))
            atom = value.only if value is not None else None
            is_class = isinstance(atom, Object) and atom.site.kind == "class"
            if isinstance(atom, Object) and is_class and is_module_class(atom.site):
                yield atom.site


def result_of(machine: Machine, callee: Symbol) -> Value | None:
    """What a call of a caller's model may give, where that is of half precision."""
    if callee.path not in _CALLS or not isinstance(callee.root, tuple):
        return None
    function, parameter = callee.root
    if not isinstance(function, Function) or not machine.tried:
        return None
    out = None
    for cls in classes_of(machine, function, parameter):
        found = machine.tried.get(cls)
        if found is not None and class_attribute(machine, cls, "__call__") is not None:
            out = found if out is None else join(out, found)
    return out


def halves_of(value: Value, depth: int = 0) -> Value | None:
    """The arrays of half precision in a result, and nothing else that is known of it."""
    atom = value.only
    if isinstance(atom, Tuple) and depth < _DEPTH:
        items = [halves_of(item, depth + 1) for item in atom.items]
        if all(item is None for item in items):
            return None
        return only(Tuple(tuple(UNKNOWN if item is None else item for item in items)))
    found = [
        Array(each.dtype, False, None, "device", each.origin)
        for each in value.atoms
        if isinstance(each, Array) and each.dtype in HALVES
    ]
    return Value(found, True) if found else None
