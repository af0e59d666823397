"""Comparisons, and whether a value is true in an `if`."""

from __future__ import annotations

from collections.abc import Callable

from gotcha_lint.domain import affine
from gotcha_lint.domain.derivative import flows_in, last_step
from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.tracers import holds_tracers, traced_in
from gotcha_lint.domain.value import (
    Atom,
    Constant,
    Library,
    Mapping,
    Marks,
    Method,
    Number,
    Object,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    constant,
    fixed,
    only,
)
from gotcha_lint.facts.processes import PROCESS_INDEX
from gotcha_lint.interpret.arrays import elementwise
from gotcha_lint.interpret.derivative import is_differentiated
from gotcha_lint.interpret.element_reads import of_comparison
from gotcha_lint.interpret.faults.checks import after_compare
from gotcha_lint.interpret.faults.operand_shapes import check_operands
from gotcha_lint.interpret.heap import (
    class_of,
    contents_of,
    defines,
    holds_array,
    is_fresh,
    key_of,
    mapping_of,
)
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.numbers import NUMBERS, as_affine_int, bounds, is_number

OF_PROCESS: Marks = frozenset((("process",),))  # of a test that differs among the processes
_SWAPPED = {"Gt": "Lt", "GtE": "LtE"}
_ORDER = ("Lt", "LtE", "Gt", "GtE")


def compare(machine: Machine, operator: str, x: Value, y: Value, span: Span) -> Value:
    """`x operator y`; notes the bound of a loop test for the loop that asks."""
    if operator in _SWAPPED:
        _note_bound(machine, _SWAPPED[operator], y, x)
    elif operator in _ORDER:
        _note_bound(machine, operator, x, y)
    arrays = holds_array(x) or holds_array(y)
    if not arrays and is_differentiated(machine, x, y):
        arrays = bool(traced_in(x.marks | y.marks))
        arrays = arrays or (_is_numeric(x) and _is_numeric(y)) or _is_computed(x) or _is_computed(y)
    if arrays and operator not in ("Is", "IsNot", "In", "NotIn"):
        check_operands(machine, operator, x, y, span)
        out = elementwise(machine, [x, y], span, None, dtype="bool")
        out = after_compare(machine, operator, x, y, out, span)
        return of_comparison(x, y, out)
    marks = x.marks | y.marks
    asks_for_none = operator in ("Is", "IsNot") and (x.is_none or y.is_none)
    if asks_for_none and any(map(holds_tracers, (x, y))):  # an argument that is there is not None
        return constant(operator == "IsNot")
    results: set[bool] = set()
    if x.unknown or y.unknown or not x.atoms or not y.atoms:
        results = {True, False}
    for a in x.atoms:
        for b in y.atoms:
            if len(results) < 2:
                results |= _compared(machine, operator, a, b, stable=not marks)
    if len(results) == 1:
        known = constant(results.pop())
        single = len(x.atoms) == 1 and len(y.atoms) == 1
        return known.marked(marks) if single and _two_constants(x, y) else known
    if is_process_index(x) or is_process_index(y):
        marks |= OF_PROCESS
    return only(Number("bool", 0, 1), marks)


def is_process_index(value: Value) -> bool:
    """Is it what `jax.process_index()` gives, as it is?"""
    return any(isinstance(a, Library) and a.name == PROCESS_INDEX for a in value.atoms)


def _is_numeric(value: Value) -> bool:
    """A number, or what is taken for an array because a gradient is taken of it."""
    if flows_in(value.marks):
        return True
    return all(
        isinstance(a, (Constant, Number)) and a.type in ("int", "float") for a in value.atoms
    )


def _is_computed(value: Value) -> bool:
    """What `argmax` or `sign` gives of something unknown is an array."""
    return any(last_step(mark) is not None for mark in flows_in(value.marks))


def _two_constants(x: Value, y: Value) -> bool:
    """A constant with marks is another one in another iteration."""
    return isinstance(x.only, Constant) and isinstance(y.only, Constant)


def _note_bound(machine: Machine, operator: str, low: Value, high: Value) -> None:
    """`low < high` may be the test of a loop."""
    if low.unknown or high.unknown:
        machine.bound_of_test = None
    if operator == "Lt":
        machine.test_operands = (low, high)
    a, b = low.only, high.only
    if isinstance(a, (Constant, Number)) and isinstance(b, (Constant, Number)):
        if isinstance(b, Constant) and type(b.value) is int:
            machine.bound_of_test = fixed(max(b.value, 0))
        else:
            machine.bound_of_test = Size(0, max(bounds(b)[1], 0))


def _compared(machine: Machine, operator: str, a: Atom, b: Atom, stable: bool) -> frozenset[bool]:
    """All results that the comparison of two alternatives can have."""
    if operator in ("NotEq", "IsNot", "NotIn"):
        positive = {"NotEq": "Eq", "IsNot": "Is", "NotIn": "In"}[operator]
        return frozenset(not x for x in _compared(machine, positive, a, b, stable))
    if operator == "Is":
        return _same_object(machine, a, b, stable)
    if operator == "Eq":
        return _equal(machine, a, b, stable)
    if operator == "In":
        return _contained(machine, a, b)
    if operator in _SWAPPED:
        return _ordered(_SWAPPED[operator], b, a, stable)
    return _ordered(operator, a, b, stable)


_BOTH = frozenset((True, False))
_YES = frozenset((True,))
_NO = frozenset((False,))


def _same_object(machine: Machine, a: Atom, b: Atom, stable: bool) -> frozenset[bool]:
    if isinstance(a, Symbol) or isinstance(b, Symbol):
        return _YES if a == b and stable else _BOTH
    if isinstance(a, Constant) and isinstance(b, Constant):
        if a.value is None or b.value is None or isinstance(a.value, bool):
            return frozenset((a.value is b.value,))
        return _BOTH if a == b else _NO
    if isinstance(a, Object) and isinstance(b, Object):
        if a.site is not b.site:
            return _NO
        return _YES if stable and not is_fresh(machine, a.site) else _BOTH
    if isinstance(a, Library) and isinstance(b, Library):
        return _YES if a == b and stable else _BOTH
    return _BOTH if _may_be_same(a, b) else _NO


def _may_be_same(a: Atom, b: Atom) -> bool:
    """May alternatives of these two kinds be one object?"""
    if isinstance(a, (Library, Method)) or isinstance(b, (Library, Method)):
        none = [x for x in (a, b) if isinstance(x, Constant) and x.value is None]
        return not none
    if isinstance(a, (Constant, Number)) and isinstance(b, (Constant, Number)):
        return a.type == b.type
    return type(a) is type(b) or {type(a), type(b)} <= {Tuple, Sequence}


def _equal(machine: Machine, a: Atom, b: Atom, stable: bool) -> frozenset[bool]:
    none = [x for x in (a, b) if isinstance(x, Constant) and x.value is None]
    if none or (isinstance(a, Library) and isinstance(b, Library)):
        if any(class_of(x) is not None for x in (a, b)):
            return _BOTH
        return _same_object(machine, a, b, stable)
    if isinstance(a, Constant) and isinstance(b, Constant):
        return frozenset((bool(a.value == b.value),))
    if is_number(a) and is_number(b):
        (la, ha), (lb, hb) = bounds(a), bounds(b)
        if ha < lb or hb < la:
            return _NO
        return _by_difference(a, b, stable, lambda d: d == 0)
    if isinstance(a, Object) and isinstance(b, Object) and a.site is b.site:
        if a.site.kind == "instance" and defines(machine, a, "__eq__"):
            return _BOTH
        return _same_object(machine, a, b, stable)
    kinds = [x.type for x in (a, b) if isinstance(x, (Constant, Number))]
    if len(kinds) == 2 and ("str" in kinds) and kinds[0] != kinds[1]:
        return _NO
    return _BOTH


def _by_difference(a: Atom, b: Atom, stable: bool, test: Callable[[int], bool]) -> frozenset[bool]:
    """Decided where the difference of two sums is known: `n < n + 1`."""
    difference = affine.add(as_affine_int(a), as_affine_int(b), -1) if stable else None
    if difference is None or difference[0]:
        return _BOTH
    return frozenset((test(difference[1]),))


def _contained(machine: Machine, a: Atom, b: Atom) -> frozenset[bool]:
    key = key_of(only(a))
    if isinstance(b, Constant) and isinstance(b.value, str):
        if key is not None and isinstance(key[0], str):
            return frozenset((key[0] in b.value,))
        return _BOTH
    mapping = mapping_of(machine, b)
    if mapping is not None:
        if key is not None and key[0] in mapping.keys:
            return _YES
        return _NO if mapping.rest is None and (key is not None or not mapping.keys) else _BOTH
    content = contents_of(machine, b)
    if isinstance(content, Tuple):
        if not content.items:
            return _NO
        keys = [key_of(value) for value in content.items]
        if key is not None and key in keys:
            return _YES
        return _NO if key is not None and None not in keys else _BOTH
    return _BOTH


def _ordered(operator: str, a: Atom, b: Atom, stable: bool) -> frozenset[bool]:
    strict = operator == "Lt"
    if isinstance(a, Constant) and isinstance(b, Constant):
        try:
            return frozenset((bool(a.value < b.value if strict else a.value <= b.value),))
        except TypeError:
            return _BOTH
    if not (is_number(a) and is_number(b)):
        return _BOTH
    (la, ha), (lb, hb) = bounds(a), bounds(b)
    if (ha < lb) if strict else (ha <= lb):
        return _YES
    if (la >= hb) if strict else (la > hb):
        return _NO
    return _by_difference(a, b, stable, lambda d: d < 0 if strict else d <= 0)


# Truth

_TRUE_KINDS = ("function", "class", "transform", "module", "optimizer", "object", "super")


def truth(value: Value) -> bool | None:
    """Is it true in an `if`? None where this is not known."""
    if value.unknown or not value.atoms:
        return None
    results = {_truth_of(atom) for atom in value.atoms}
    return results.pop() if len(results) == 1 else None


def _truth_of(atom: Atom) -> bool | None:
    if isinstance(atom, Constant):
        return bool(atom.value)
    if isinstance(atom, Number):
        nonzero = atom.type in NUMBERS and (atom.low > 0 or atom.high < 0)
        zero = atom.type in NUMBERS and atom.low == atom.high == 0
        return True if nonzero else False if zero else None
    if isinstance(atom, Tuple):
        return bool(atom.items)
    if isinstance(atom, Sequence):
        return True if atom.size.low > 0 else None
    if isinstance(atom, Mapping):
        return True if atom.keys else None
    if isinstance(atom, Method):
        return True
    if isinstance(atom, Object):
        if atom.site.kind in _TRUE_KINDS:
            return True
        if atom.site.kind == "instance":
            return _truth_of_instance(atom)
    return None


def _truth_of_instance(atom: Object) -> bool | None:
    """True, unless its class may define `__bool__` or `__len__`."""
    cls = atom.site.info.get("class")
    if cls is None or _stores(cls, ("__bool__", "__len__")):
        return None
    return True


def _stores(cls: Site, names: tuple[str, ...]) -> bool:
    """Does the body of a class, or of a base of it, define one of the names?"""
    body = cls.info["function"].body
    if any(step[0] == "store" and step[2] in names for step in body):
        return True
    return any(_stores(base, names) for base in cls.info["bases"])
