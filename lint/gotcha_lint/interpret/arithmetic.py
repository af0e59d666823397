"""Operators: on numbers, text, containers, arrays, instances."""

from __future__ import annotations

import operator as operators
from collections.abc import Callable
from typing import Any

from gotcha_lint.domain import affine
from gotcha_lint.domain.derivative import flows_in
from gotcha_lint.domain.freshness import after
from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.tracers import holds_tracers
from gotcha_lint.domain.value import (
    BOTTOM,
    Atom,
    Constant,
    Number,
    Object,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    as_affine,
    as_leaf,
    constant,
    fixed,
    join,
    join_all,
    only,
)
from gotcha_lint.interpret.arrays import as_arrays, elementwise, matmul
from gotcha_lint.interpret.batches import batch_of, is_ragged
from gotcha_lint.interpret.comparison import compare, truth
from gotcha_lint.interpret.containers.building import (
    MOST_ITEMS,
    like,
    new_container,
    new_dict,
    tuple_or_sequence,
    updated,
)
from gotcha_lint.interpret.derivative import is_differentiated, kept
from gotcha_lint.interpret.faults.checks import after_binary
from gotcha_lint.interpret.faults.divisors import check_divisor
from gotcha_lint.interpret.faults.half_precision import may_be_half
from gotcha_lint.interpret.faults.operand_shapes import check_product
from gotcha_lint.interpret.faults.texts import check_percent, marks_of_text
from gotcha_lint.interpret.heap import (
    Contents,
    class_of,
    contents_of,
    defines,
    element_of,
    holds_array,
    key_of,
    mapping_of,
    size_of,
)
from gotcha_lint.interpret.host import read
from gotcha_lint.interpret.indexing import is_cut
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.numbers import (
    as_affine_int,
    bounds,
    form_of,
    has_type,
    interval,
    is_number,
    is_whole,
    of_numbers,
    of_symbols,
)

__all__ = ["binary", "compare", "truth", "unary"]

_PAIRS = 24  # of alternatives; more give something unknown
_LONGEST = 1000  # characters of text that are computed
_BUCKET = 8  # dividing by so much gives few results: sizes are rounded to buckets with it
_METHODS = {
    "Add": "add",
    "Sub": "sub",
    "Mult": "mul",
    "Div": "truediv",
    "FloorDiv": "floordiv",
    "Mod": "mod",
    "Pow": "pow",
    "MatMult": "matmul",
    "BitAnd": "and",
    "BitOr": "or",
    "BitXor": "xor",
    "LShift": "lshift",
    "RShift": "rshift",
}


def _power(a: Any, b: Any) -> Any:
    return a**b if abs(a) < 1e6 and abs(b) < 50 else None


def _shift_left(a: Any, b: Any) -> Any:
    return a << b if b < 64 else None


def _times(a: Any, b: Any) -> Any:
    if isinstance(b, (str, bytes)):
        a, b = b, a
    return None if isinstance(a, (str, bytes)) and b * len(a) > _LONGEST else a * b


_EXACT: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operators.add,
    "Sub": operators.sub,
    "Mult": _times,
    "Div": operators.truediv,
    "FloorDiv": operators.floordiv,
    "Mod": operators.mod,
    "Pow": _power,
    "LShift": _shift_left,
    "RShift": operators.rshift,
    "BitAnd": operators.and_,
    "BitOr": operators.or_,
    "BitXor": operators.xor,
}
_SCALAR = (bool, int, float, complex, str, bytes)


def binary(machine: Machine, operator: str, x: Value, y: Value, span: Span) -> Value:
    """`x operator y`; the operator by its name in `ast`."""
    x, y = as_leaf(x), as_leaf(y)
    marks = x.marks | y.marks
    if may_be_half(x) or may_be_half(y):
        a, b = (Value(v.atoms, not v.atoms, v.marks, v.choice) for v in (x, y))
        out = binary(machine, operator, a, b, span)
        return Value(out.atoms, True, out.marks, out.choice)
    by_class = _by_class(machine, operator, x, y, span)
    if by_class is not None:
        return by_class
    if not _is_text(x):
        check_divisor(machine, operator, y, span)
    if (whole := _of_batch(x, y)) is not None:
        return whole
    if operator == "Mod" and _is_text(x):
        return _formatted(machine, x, y, span)
    if holds_array(x) or holds_array(y) or is_differentiated(machine, x, y):
        if operator == "MatMult":
            check_product(machine, x, y, span)
            return matmul(machine, x, y, span)
        out = elementwise(machine, [x, y], span, None, divide=operator == "Div")
        out = after_binary(machine, operator, x, y, out, span)
        known = all(as_arrays(v) is not None or _may_be_array(machine, v) for v in (x, y))
        return out if known else Value(out.atoms, True, out.marks, out.choice)  # or its own `+`
    if holds_tracers(x) or holds_tracers(y):
        machine.equations += 1
    if x.unknown or y.unknown or not x.atoms or not y.atoms:
        return Value(_of_defaults(machine, operator, x, y, span), True, marks)
    if len(x.atoms) * len(y.atoms) > _PAIRS:
        return Value((), True, marks)
    pairs = [(a, b) for a in x.atoms for b in y.atoms]
    out = join_all(
        _of_pair(machine, operator, a, b, span, bool(again)) for again, (a, b) in enumerate(pairs)
    )
    if out.only is not None and isinstance(out.only, Constant) and _is_certain(x, y, operator):
        return out
    out = kept(machine, out, x, y)
    if operator == "FloorDiv" and marks and _is_bucket(y):
        return _bucketed(out)
    return out.marked(marks)


def _of_defaults(machine: Machine, operator: str, x: Value, y: Value, span: Span) -> list[Atom]:
    """`1 - 1 / steps`, where `steps` is 1 or something unknown: what it is with the default."""
    numbers = [value.atoms[0] if len(value.atoms) == 1 else None for value in (x, y)]
    one, other = numbers
    if operator not in ("Sub", "Div") or not isinstance(one, Constant):
        return []
    if not isinstance(other, Constant) or {one.type, other.type} - {"int", "float"}:
        return []
    exact = _exact(operator, one, other, machine.origin(span))
    return [] if exact is None else list(exact.atoms)


def _is_symbol(value: Value) -> bool:
    return all(isinstance(atom, Symbol) for atom in value.atoms)


def _may_be_array(machine: Machine, value: Value) -> bool:
    """Beside what is differentiated, what a caller gives is taken for an array.

    Something unknown is not: a derivative might flow through it, unseen.
    """
    if machine.traced and holds_tracers(value):
        return True
    if not machine.differentiated:
        return False
    return bool(flows_in(value.marks)) or (not value.unknown and _is_symbol(value))


def _of_batch(x: Value, y: Value) -> Value | None:
    """`batch["image"] / 255` has the rows of the batch, `x[:i] * 2` those of the slice."""
    for one, other in ((x, y), (y, x)):
        part = batch_of(one)
        rows = is_cut(one) or (part is not None and is_ragged(part) is not None)
        if rows and isinstance(other.only, (Constant, Number)):
            return one.marked(other.marks)
    return None


def _is_certain(x: Value, y: Value, operator: str) -> bool:
    """Is a constant result the same in every iteration: `i + 8 - i`, `i * 0`?"""
    return operator in ("Add", "Sub", "Mult", "FloorDiv", "Mod") and bool(
        isinstance(x.only, Number) or isinstance(y.only, Number)
    )


def _is_bucket(value: Value) -> bool:
    number = value.constant
    return type(number) is int and number >= _BUCKET


def _bucketed(value: Value) -> Value:
    """Few results for many operands: it does not count as varying."""
    atoms = [
        Number(atom.type, atom.low, atom.high, atom.affine, atom.origin)
        if isinstance(atom, Number)
        else atom
        for atom in value.atoms
    ]
    return Value(atoms, value.unknown)


def _by_class(machine: Machine, operator: str, x: Value, y: Value, span: Span) -> Value | None:
    """The operators that classes of the project define; unknown for instances that have none."""
    for value, other, prefix in ((x, y, "__"), (y, x, "__r")):
        instances = [
            atom
            for atom in value.atoms
            if isinstance(atom, Object) and atom.site.kind == "instance"
        ]
        if not instances:
            continue
        name = f"{prefix}{_METHODS.get(operator, '')}__"
        out = BOTTOM
        for atom in instances:
            if not defines(machine, atom, name):
                out = join(out, Value((), True, x.marks | y.marks))
                continue
            method = machine.attribute(Value((atom,), False, value.marks), name, span)
            out = join(out, machine.call(method, (other,), {}, span))
        if prefix == "__" and len(instances) == len(value.atoms) and not out.unknown:
            return out
        if prefix == "__r" or not any(defines(machine, a, f"__r{name[2:]}") for a in y.atoms):
            certain = len(instances) == len(value.atoms) and not value.unknown
            return out if certain else join(out, Value((), True, x.marks | y.marks))
    return None


def _of_pair(machine: Machine, operator: str, a: Atom, b: Atom, span: Span, again: bool) -> Value:
    origin = machine.origin(span)
    if isinstance(a, Constant) and isinstance(b, Constant):
        exact = _exact(operator, a, b, origin)
        if exact is not None:
            return exact
    if is_number(a) and is_number(b):
        return of_numbers(operator, a, b, origin)
    if isinstance(a, Symbol) or isinstance(b, Symbol):
        made = _with_symbol(machine, operator, a, b, span)
        return of_symbols(operator, a, b, origin) if made is None else made
    if has_type(a, ("str", "bytes")) or has_type(b, ("str", "bytes")):
        return _of_text(operator, a, b, origin)
    return _of_containers(machine, operator, a, b, span, again)


def _exact(operator: str, a: Constant, b: Constant, origin: Origin) -> Value | None:
    """The result on constants; None where it is not computed."""
    compute = _EXACT.get(operator)
    if compute is None or not (isinstance(a.value, _SCALAR) and isinstance(b.value, _SCALAR)):
        return None
    try:
        result = compute(a.value, b.value)
    except ZeroDivisionError:
        return BOTTOM
    except (TypeError, ValueError, OverflowError):
        return None
    if result is None or (isinstance(result, (str, bytes)) and len(result) > _LONGEST):
        return None
    return constant(result, origin)


def _of_text(operator: str, a: Atom, b: Atom, origin: Origin) -> Value:
    kind = "bytes" if has_type(a, ("bytes",)) or has_type(b, ("bytes",)) else "str"
    if operator in ("Add", "Mult", "Mod"):
        return only(Number(kind, origin=origin))
    return Value((), True)


def _is_text(value: Value) -> bool:
    return bool(value.atoms) and all(has_type(atom, ("str", "bytes")) for atom in value.atoms)


def _formatted(machine: Machine, x: Value, y: Value, span: Span) -> Value:
    """`text % values`: text that varies with all that it shows."""
    check_percent(machine, x, y, span)
    marks = marks_of_text(machine, (x, y))
    form, shown = x.constant, key_of(y)
    if isinstance(form, str) and shown is not None:
        try:
            text = form % shown[0]
        except (TypeError, ValueError, KeyError, OverflowError):
            text = None
        if text is not None and len(text) <= _LONGEST:
            return constant(text, machine.origin(span)).marked(marks)
    seen = read(machine, (y,), span, "format", symbols=False)
    return only(Number("str", origin=machine.origin(span)), after(marks, seen))


# Containers


def _of_containers(
    machine: Machine, operator: str, a: Atom, b: Atom, span: Span, again: bool
) -> Value:
    first, second = contents_of(machine, a), contents_of(machine, b)
    origin = machine.origin(span)
    if operator == "Add" and first is not None and second is not None:
        return like(machine, a, tuple_or_sequence((first, second), origin), span, again)
    if operator == "Mult" and first is not None:
        return like(machine, a, _repeated(first, b, origin), span, again)
    if operator == "Mult" and second is not None:
        return like(machine, b, _repeated(second, a, origin), span, again)
    if first is not None and second is not None and _has_kind(a, "set"):
        return like(machine, a, _of_sets(operator, first, second, origin), span, again)
    left, right = mapping_of(machine, a), mapping_of(machine, b)
    if operator == "BitOr" and left is not None and right is not None:
        return new_dict(machine, updated(left, right), span)
    return Value((), True)


def _with_symbol(machine: Machine, operator: str, a: Atom, b: Atom, span: Span) -> Value | None:
    """`text + [0] * n`: what is added to a list is one, of a length that is not known.

    So is a list that is repeated, by a number of times that is not known.
    """
    if operator == "Mult":
        content, times = (contents_of(machine, a), b) if _has_kind(a, "list") else (None, b)
        if content is None and _has_kind(b, "list"):
            content, times = contents_of(machine, b), a
        if content is None or not isinstance(times, Symbol):
            return None
        size, origin = Size(affine=affine.symbol(times)), machine.origin(span)
        if size_of(content).constant != 1:
            size = Size()
        return new_container(machine, "list", Sequence(element_of(content), size, origin), span)
    if operator != "Add":
        return None
    parts: list[Contents] = []
    for atom in (a, b):
        length = atom.step("len") if isinstance(atom, Symbol) else None
        content = None if isinstance(atom, Symbol) else contents_of(machine, atom)
        if length is not None:
            content = Sequence(Value((), True), Size(affine=affine.symbol(length)))
        if content is None:
            return None
        parts.append(content)
    kind = next((atom for atom in (a, b) if _has_kind(atom, "list")), None)
    if kind is None:
        return None
    return new_container(machine, "list", tuple_or_sequence(parts, machine.origin(span)), span)


def _has_kind(atom: Atom, kind: str) -> bool:
    return isinstance(atom, Object) and atom.site.kind == kind


def _repeated(content: Contents, times: Atom, origin: Origin) -> Contents:
    count = times.value if isinstance(times, Constant) else None
    if type(count) is int and isinstance(content, Tuple):
        if len(content.items) * max(count, 0) <= MOST_ITEMS:
            return Tuple(content.items * count, origin)
        return Sequence(element_of(content), fixed(len(content.items) * count), origin)
    size = size_of(content)
    low, high = interval("Mult", (size.low, size.high), bounds(times))
    form = form_of("Mult", as_affine(size), as_affine_int(times))
    return Sequence(
        element_of(content), Size(max(low, 0), max(high, 0), size.marks, None, form), origin
    )


def _of_sets(operator: str, a: Contents, b: Contents, origin: Origin) -> Contents:
    if operator == "BitOr":
        return tuple_or_sequence((a, b), origin)
    keys = [key_of(value) for value in b.items] if isinstance(b, Tuple) else [None]
    if isinstance(a, Tuple) and None not in keys:
        own = [key_of(value) for value in a.items]
        if None not in own and operator in ("BitAnd", "Sub"):
            keep = operator == "BitAnd"
            kept = (v for key, v in zip(own, a.items, strict=True) if (key in keys) == keep)
            return Tuple(tuple(kept), origin)
    return Sequence(
        join(element_of(a), element_of(b)), Size(0, size_of(a).high + size_of(b).high), origin
    )


# Unary operators


def unary(machine: Machine, operator: str, x: Value, span: Span) -> Value:
    """`-x`, `+x`, `~x`, `not x`; the operator by its name in `ast`."""
    if operator == "Not":
        known = truth(x)
        if known is not None:
            return constant(not known, machine.origin(span))
        return only(Number("bool", 0, 1), x.marks)
    if holds_array(x):
        return elementwise(machine, [x], span, None)
    name = {"USub": "__neg__", "UAdd": "__pos__", "Invert": "__invert__"}.get(operator, "")
    if class_of(x.only) is not None if x.only is not None else False:
        if defines(machine, next(iter(x.atoms)), name):
            return machine.call(machine.attribute(x, name, span), (), {}, span)
        return Value((), True, x.marks)
    if operator == "USub":
        return binary(machine, "Sub", constant(0), x, span) if _all_ints(x) else _minus(x, span)
    if operator == "UAdd":
        return binary(machine, "Add", constant(0), x, span) if _all_ints(x) else x
    if operator == "Invert" and _all_ints(x):
        return binary(machine, "Sub", constant(-1), x, span)
    return Value((), True, x.marks)


def _all_ints(x: Value) -> bool:
    return bool(x.atoms) and not x.unknown and all(map(is_whole, x.atoms))


def _minus(x: Value, span: Span) -> Value:
    """`-x` where it may be a float: the sign of zero and the type are kept."""
    atoms: list[Atom] = []
    unknown = x.unknown or not x.atoms
    for atom in x.atoms:
        if isinstance(atom, Constant) and isinstance(atom.value, (int, float, complex)):
            value = -atom.value
            atoms.append(Constant(value, type(value).__name__, atom.origin))
        elif isinstance(atom, Number) and atom.type in ("int", "float", "complex"):
            form = affine.scale(atom.affine, -1)
            atoms.append(Number(atom.type, -atom.high, -atom.low, form, atom.origin))
        else:
            unknown = True
    return Value(atoms, unknown, x.marks)
