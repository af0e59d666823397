"""Built-in functions on numbers: conversions, round, min, max, sum, any, all."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gotcha_lint.domain import affine
from gotcha_lint.domain.affine import Affine
from gotcha_lint.domain.freshness import after
from gotcha_lint.domain.value import (
    BOTTOM,
    EACH,
    INFINITY,
    NO_MARKS,
    UNKNOWN,
    Array,
    Atom,
    Constant,
    Number,
    Symbol,
    Tuple,
    Value,
    all_marks,
    as_affine,
    constant,
    join,
    join_all,
    only,
)
from gotcha_lint.interpret.arithmetic import binary, truth
from gotcha_lint.interpret.call import Call, model
from gotcha_lint.interpret.containers.building import spread
from gotcha_lint.interpret.elements import REPEATED
from gotcha_lint.interpret.faults.texts import marks_of_text
from gotcha_lint.interpret.faults.traced import check_larger
from gotcha_lint.interpret.heap import (
    element_of,
    holds_array,
    size_of,
)
from gotcha_lint.interpret.host import read
from gotcha_lint.interpret.numbers import bounds, is_number, quotient, quotient_parts
from gotcha_lint.interpret.numbers import extreme as extreme_of
from gotcha_lint.interpret.own_sizes import LONGEST, own_size

_ROUNDING = 2.0**-48  # more than sixteen additions lose, of the sum of all sizes
_MOST_CALLS = 16  # elements that a given function is called with one by one
_ANY_BOOL = Number("bool", 0, 1)


# Numbers

_CONVERT: dict[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "complex": complex,
}


@model("builtins.int", "builtins.float", "builtins.bool", "builtins.str", "builtins.complex")
def converted(call: Call) -> Value:
    kind = call.short
    if not call.args:
        return constant(_CONVERT[kind](), call.origin)
    if kind == "bool":
        known = truth(call.args[0])
        if known is not None:
            result = constant(known, call.origin)
            return result if call.args[0].only is None else result.marked(call.marks)
    if len(call.args) > 1:
        return only(Number(kind, origin=call.origin), call.marks)
    value = call.argument(0, "x")
    marks = marks_of_text(call.engine, (value,)) if kind == "str" else value.marks
    seen = read(call.engine, (value,), call.span, kind, symbols=kind == "float")
    marks = after(marks, seen)
    known = getattr(value.only, "elements", None)
    if kind == "int" and known is not None and known.made == REPEATED:
        return only(Number(kind, origin=call.origin), after(NO_MARKS, seen))  # one of a few
    if kind == "float" and marks & call.engine.current and isinstance(value.only, Array):
        marks |= {EACH}  # what is worked out in an array takes many values
    out = join_all(_converted(call, kind, atom) for atom in value.atoms)
    if value.unknown or not value.atoms:
        out = join(out, only(_any_number(call, kind)))
    return out.marked(marks)


def _converted(call: Call, kind: str, atom: Atom) -> Value:
    if isinstance(atom, Constant):
        try:
            return constant(_CONVERT[kind](atom.value), call.origin)
        except (TypeError, ValueError, OverflowError):
            return BOTTOM
    if isinstance(atom, Symbol) and kind == "int":
        form = affine.symbol(atom)  # `int(n)` is `n`, where it is an int already
        return only(Number("int", -INFINITY, INFINITY, form, call.origin))
    if isinstance(atom, Number) and atom.type in ("int", "float", "bool") and kind in _REAL:
        return only(_cast(atom, kind, call))
    return only(_any_number(call, kind))


_REAL = ("int", "float")


def _cast(atom: Number, kind: str, call: Call) -> Number:
    low, high = atom.low, atom.high
    form = atom.affine if kind == atom.type == "int" else None
    if kind == "int":
        low, high = _truncated(low), _truncated(high)
        if form is None and atom.low >= 0:
            form = _floor_form(atom)
    return Number(kind, low, high, form, atom.origin or call.origin)


def _truncated(bound: float) -> float:
    return bound if abs(bound) == INFINITY else int(bound)


def _floor_form(atom: Number) -> Affine | None:
    """`int(n / b)` is `n // b` for numbers that are not negative."""
    parts = quotient_parts(atom)
    return None if parts is None else quotient(*parts)


def _any_number(call: Call, kind: str) -> Number:
    if kind == "bool":
        return Number("bool", 0, 1, None, call.origin)
    return Number(kind, origin=call.origin)


@model("builtins.abs")
def absolute(call: Call) -> Value:
    value = call.argument(0, "x")
    out = BOTTOM
    for atom in value.atoms:
        if isinstance(atom, Constant) and isinstance(atom.value, (int, float, complex)):
            out = join(out, constant(abs(atom.value), call.origin))
        elif isinstance(atom, Number) and atom.type in ("int", "float"):
            out = join(out, only(_absolute(atom)))
        else:
            out = join(out, Value((atom,)) if isinstance(atom, Array) else UNKNOWN)
    if value.unknown or not value.atoms:
        out = join(out, UNKNOWN)
    return out.marked(value.marks)


def _absolute(atom: Number) -> Number:
    if atom.low >= 0:
        return atom
    low = 0 if atom.high >= 0 else -atom.high
    return Number(atom.type, low, max(-atom.low, atom.high), None, atom.origin)


@model("builtins.round")
def rounded(call: Call) -> Value:
    value, digits = call.argument(0, "number"), call.get(1, "ndigits")
    if holds_array(value):
        return value
    number = value.constant
    if isinstance(number, (int, float)) and (digits is None or type(digits.constant) is int):
        try:
            result = round(number) if digits is None else round(number, digits.constant)
        except (ValueError, OverflowError):
            return BOTTOM
        return constant(result, call.origin).marked(call.marks)
    low, high = bounds(value.only) if value.only is not None else (-INFINITY, INFINITY)
    if digits is not None and not digits.is_none:
        return only(Number("float", origin=call.origin), call.marks)
    if isinstance(value.only, Number) and value.only.type == "int":
        return value
    low, high = (b if abs(b) == INFINITY else round(b) for b in (low, high))
    return only(Number("int", low, high, None, call.origin), call.marks)


@model("builtins.divmod")
def divided(call: Call) -> Value:
    if len(call.args) < 2:
        return UNKNOWN
    x, y = call.args[:2]
    parts = (binary(call.engine, operator, x, y, call.span) for operator in ("FloorDiv", "Mod"))
    return only(Tuple(tuple(parts), call.origin))


@model("builtins.pow")
def power(call: Call) -> Value:
    if len(call.args) != 2:
        return only(Number("int", origin=call.origin), call.marks)
    return binary(call.engine, "Pow", call.args[0], call.args[1], call.span)


@model("builtins.max", "builtins.min")
def extreme(call: Call) -> Value:
    key = call.keyword("key")
    if not call.args:
        given, exact = (call.keywords.get("*", UNKNOWN),), False
    elif len(call.args) == 1:
        content = spread(call.engine, call.args[0])
        given = content.items if isinstance(content, Tuple) else (content.element,)
        exact = isinstance(content, Tuple)
    else:
        given, exact = call.args, True
    if key is not None and not key.is_none:
        for value in given[:_MOST_CALLS]:
            call.engine.call(key, (value,), {}, call.span)
        return join_all((*given, *_default(call)))
    if any(map(holds_array, given)):
        if exact and len(given) > 1:
            check_larger(call.engine, given, call.short, call.span)
        return join_all((*given, *_default(call)))
    out = _extreme(call, given) if exact and given else join_all(given)
    if not exact:
        out = _any_of(out, call)
    elif given:
        return out
    return join_all((out, *_default(call)))


def _default(call: Call) -> tuple[Value, ...]:
    default = call.keyword("default")
    return () if default is None else (default,)


def _any_of(value: Value, call: Call) -> Value:
    """One of the elements: it is no longer that of the iteration."""
    longest = own_size(LONGEST, call.origin)
    atoms = [
        Number(atom.type, atom.low, atom.high, longest if atom.type == "int" else None, call.origin)
        if isinstance(atom, Number)
        else atom
        for atom in value.atoms
    ]
    marks = frozenset(mark for mark in value.marks if not _is_elements(mark))
    if isinstance(value.only, Constant) and len(marks) < len(value.marks):
        return value
    return Value(atoms, value.unknown, marks)


def _is_elements(mark: Any) -> bool:
    return isinstance(mark, tuple) and bool(mark) and mark[0] == "elements"


def _extreme(call: Call, given: tuple[Value, ...]) -> Value:
    numbers = [value.constant for value in given]
    choose = max if call.short == "max" else min
    marks = all_marks(given)
    if all(isinstance(number, (int, float)) for number in numbers):
        return constant(choose(numbers), call.origin).marked(marks)
    if any(value.unknown or not value.atoms for value in given):
        grows = [a for v in given for a in v.atoms if call.short == "max" and _is_counter(a)]
        return Value(grows[:1], True, marks)  # beyond what is not known
    if not all(_is_real(atom) for value in given for atom in value.atoms):
        return join_all(given).marked(marks)
    edges = [_bounds_of(value) for value in given]
    low, high = choose(low for low, _ in edges), choose(high for _, high in edges)
    clipped = _clipped(given)
    if clipped is not None and call.short == "min":
        return only(Number("int", low, high, clipped, call.origin), marks)
    kinds = {_type_of(atom) for value in given for atom in value.atoms}
    form = _form_of_extreme(call.short, given) if kinds == {"int"} else None
    which = marks if len(kinds) > 1 else NO_MARKS  # the larger one decides, with its value
    of_kind = [Number(kind, low, high, form, call.origin) for kind in sorted(kinds)]
    return Value(of_kind, False, marks, which)


def _is_counter(atom: Atom) -> bool:
    """A number that a loop, or the caller of the methods of an object, counts up without end."""
    form = atom.affine if isinstance(atom, Number) and atom.high == INFINITY else None
    names = () if form is None else (name for name, _ in form[0])
    return any(isinstance(name, tuple) and name[0] == "carried" for name in names)


def _is_real(atom: Atom) -> bool:
    return is_number(atom) or isinstance(atom, Symbol)


def _bounds_of(value: Value) -> tuple[float, float]:
    edges = [bounds(atom) for atom in value.atoms]
    return min(low for low, _ in edges), max(high for _, high in edges)


def _type_of(atom: Atom) -> str:
    return atom.type if isinstance(atom, (Constant, Number)) else "int"


def _clipped(given: tuple[Value, ...]) -> Affine | None:
    """`min(i + b, n)`: as the end of a slice it clips as the slice itself does."""
    forms = [v.only.affine for v in given if isinstance(v.only, Number) and v.only.type == "int"]
    ranged = [form for form in forms if _has_range(form)]
    return ranged[0] if len(ranged) == 1 and len(given) == 2 else None


def _has_range(form: Affine | None) -> bool:
    names = () if form is None else (name for name, _ in form[0])
    return any(isinstance(name, tuple) and name[0] == "range" for name in names)


def _form_of_extreme(which: str, given: tuple[Value, ...]) -> Affine | None:
    """The same operands give the same number; equal ones give themselves."""
    forms: list[Affine] = []
    for value in given:
        form = None if value.only is None else as_affine(value.only)
        if form is None:
            return None
        forms.append(form)
    return extreme_of(which, forms)


@model("builtins.sum")
def summed(call: Call) -> Value:
    if not call.args:
        return UNKNOWN
    start = call.get(1, "start")
    total = constant(0) if start is None else start
    content = spread(call.engine, call.args[0])
    if isinstance(content, Tuple) and len(content.items) <= _MOST_CALLS:
        for value in content.items:
            total = binary(call.engine, "Add", total, value, call.span)
        return _with_rounding(
            call, total, (constant(0) if start is None else start, *content.items)
        )
    each = element_of(content)
    if holds_array(each):
        return binary(call.engine, "Add", each, each, call.span).marked(each.marks)
    numbers = [atom for atom in each.atoms if isinstance(atom, (Constant, Number))]
    marks = each.marks | size_of(content).marks
    if each.unknown or len(numbers) < len(each.atoms) or not numbers:
        return Value((), True, marks)
    kind = "float" if any(atom.type == "float" for atom in numbers) else "int"
    positive = all(bounds(atom)[0] >= 0 for atom in numbers)
    return only(Number(kind, 0 if positive else -INFINITY, INFINITY, None, call.origin), marks)


def _with_rounding(call: Call, total: Value, items: tuple[Value, ...]) -> Value:
    """Over-approximates the sum of floats, which depends on the Python that runs the program.

    Up to Python 3.11 each addition rounds; from 3.12 on `sum` compensates for the rounding. A sum
    of constants that is exact in both stays a constant.
    """
    number = total.only
    if not isinstance(number, (Constant, Number)) or number.type != "float":
        return total
    ends = [bounds(value.only) for value in items if value.only is not None]
    size = sum(max(abs(low), abs(high)) for low, high in ends)
    if not math.isfinite(size):
        return total
    if isinstance(number, Constant) and math.fsum(low for low, _ in ends) == number.value:
        return total
    (low, high), slack = bounds(number), size * _ROUNDING
    return only(Number("float", low - slack, high + slack, None, call.origin), total.marks)


@model("builtins.any", "builtins.all")
def any_or_all(call: Call) -> Value:
    content = spread(call.engine, call.argument(0, "iterable"))
    decisive = call.short == "any"
    if isinstance(content, Tuple):
        truths = [truth(value) for value in content.items]
        if decisive in truths:
            return constant(decisive, call.origin)
        if None not in truths:
            return constant(not decisive, call.origin)
    each = element_of(content)
    return only(_ANY_BOOL, each.marks | size_of(content).marks)
