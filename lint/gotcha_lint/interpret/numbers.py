"""Python numbers: types, intervals, and sums of symbols.

Sizes are computed with these, so sums of symbols stay exact; what is no such sum (a product, a
quotient) becomes a symbol of its own, named by its operands, so that two spellings of
"n divided by b, rounded up" are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from collections.abc import Sequence as Values

from gotcha_lint.domain import affine
from gotcha_lint.domain.affine import Affine
from gotcha_lint.domain.sites import Origin
from gotcha_lint.domain.value import (
    INFINITY,
    Atom,
    Constant,
    Number,
    Symbol,
    Value,
    as_affine,
    constant,
    only,
)

NUMBERS = ("int", "float", "bool")
_DEEPEST = 3  # products of quotients of ...
_MOST_TERMS = 8


def has_type(atom: Atom, types: tuple[str, ...]) -> bool:
    return isinstance(atom, (Constant, Number)) and atom.type in types


def is_number(atom: Atom) -> bool:
    return has_type(atom, NUMBERS)


def bounds(atom: Atom) -> tuple[float, float]:
    """The interval of a number; everything for what is none."""
    if isinstance(atom, Constant) and isinstance(atom.value, (int, float)):
        return atom.value, atom.value
    return (atom.low, atom.high) if isinstance(atom, Number) else (-INFINITY, INFINITY)


def of_numbers(operator: str, a: Atom, b: Atom, origin: Origin) -> Value:
    """The result of an operator on two numbers."""
    real = has_type(a, ("float",)) or has_type(b, ("float",)) or operator == "Div"
    low, high = interval(operator, bounds(a), bounds(b), whole=not real)
    form = form_of(operator, as_affine_int(a), as_affine_int(b))
    if form is not None and not form[0] and not real:
        return constant(form[1], origin)
    kept = a.origin if isinstance(a, Number) else b.origin if isinstance(b, Number) else None
    if operator == "Pow" and not real and -INFINITY < bounds(b)[0] < 0:
        fraction = Number("float", origin=kept or origin)
        whole = Number("int", low, high, None, kept or origin)
        return Value((fraction,) if bounds(b)[1] < 0 else (fraction, whole))
    if operator in ("BitAnd", "BitOr", "BitXor") and _both_bool(a, b):
        return only(Number("bool", 0, 1, None, origin))
    if form is None and real:
        form = _one_to_one(operator, a, b)
    return only(Number("float" if real else "int", low, high, form, kept or origin))


def _one_to_one(operator: str, a: Atom, b: Atom) -> Affine | None:
    """`0.1 * 0.99**n`: other numbers give other results (must, up to rounding)."""
    for one, other, side in ((a, b, "left"), (b, a, "right")):
        number = other.value if isinstance(other, Constant) else None
        form = one.affine if isinstance(one, Number) else None
        if form is None or type(number) not in (int, float):
            continue
        factor = operator in ("Mult", "Div") and number != 0
        base = operator == "Pow" and side == "right" and number not in (0, 1, -1)
        if operator in ("Add", "Sub") or factor or base:
            return _named("one-to-one", form, affine.symbol((operator, number, side)))
    return None


def _both_bool(a: Atom, b: Atom) -> bool:
    return has_type(a, ("bool",)) and has_type(b, ("bool",))


def as_affine_int(atom: Atom) -> Affine | None:
    """The affine sum of an int (a bool counts as one)."""
    if isinstance(atom, Constant) and type(atom.value) is bool:
        return affine.constant(int(atom.value))
    if isinstance(atom, Number) and atom.type != "int":
        return None
    return as_affine(atom)


def of_symbols(operator: str, a: Atom, b: Atom, origin: Origin) -> Value:
    """A symbol may be an array as well as a number: the result is known where it surely is an int.

    It is where the symbol is a size, in `n // b` and `n % b`, and where the index of a loop or the
    length of a list is added to it, or taken from it.
    """
    form = form_of(operator, as_affine_int(a), as_affine_int(b))
    if form is None or operator not in (*_WHOLE, "Div"):
        return Value((), True)
    whole = operator in ("FloorDiv", "Mod") or (is_whole(a) and is_whole(b))
    if operator == "Div" and isinstance(a, Symbol) and is_whole(a):
        return only(Number("float", -INFINITY, INFINITY, form, origin))
    index = operator in ("Add", "Sub", "Mult") and (_is_index(a) or _is_index(b))
    if not (whole or index):
        return Value((), True)
    if not form[0]:
        return constant(form[1], origin)
    return only(Number("int", -INFINITY, INFINITY, form, origin))


_WHOLE = ("Add", "Sub", "Mult", "FloorDiv", "Mod")


def is_whole(atom: Atom) -> bool:
    """Is it surely an int: a number of that type, or a symbol that is a size?"""
    if not isinstance(atom, Symbol):
        return has_type(atom, ("int", "bool"))
    path = [str(step) for step in atom.path]
    if not path:
        return False
    of_shape = len(path) > 1 and path[-2] == ".shape" and path[-1].startswith("[")
    return of_shape or path[-1] in (".ndim", ".size", "len")


def _is_index(atom: Atom) -> bool:
    """Is it counted by a loop over a range, or the length of a list?"""
    form = atom.affine if isinstance(atom, Number) and atom.type == "int" else None
    names = () if form is None else (name for name, _ in form[0])
    return any(isinstance(name, tuple) and name[0] in ("range", "items") for name in names)


def form_of(operator: str, a: Affine | None, b: Affine | None) -> Affine | None:
    """The result of an operator on ints, as an affine sum."""
    if a is None or b is None:
        return None
    if operator == "Add":
        return affine.add(a, b)
    if operator == "Sub":
        return affine.add(a, b, -1)
    if operator == "Mult":
        return product(a, b)
    if operator == "FloorDiv":
        return quotient(a, b)
    if operator == "Mod":
        return remainder(a, b)
    if operator == "Div":
        return _named("/", a, b)
    return None


def product(a: Affine, b: Affine) -> Affine | None:
    if not a[0]:
        return affine.scale(b, a[1])
    if not b[0]:
        return affine.scale(a, b[1])
    terms = [(one, other) for one in _terms(a) for other in _terms(b)]
    if len(terms) > _MOST_TERMS:
        return None
    out: Affine | None = affine.ZERO
    for one, other in terms:  # (i + 1) * b is i * b + b
        out = affine.add(out, _of_terms(one, other))
    return out


def _terms(form: Affine) -> list[Affine]:
    parts: list[Affine] = [(((name, factor),), 0) for name, factor in form[0]]
    return [*parts, affine.constant(form[1])] if form[1] else parts


def _of_terms(a: Affine, b: Affine) -> Affine | None:
    if not a[0]:
        return affine.scale(b, a[1])
    if not b[0]:
        return affine.scale(a, b[1])
    factor = a[0][0][1] * b[0][0][1]
    first, second = sorted((affine.symbol(form[0][0][0]) for form in (a, b)), key=repr)
    return affine.scale(_named("*", first, second), factor)


def quotient(a: Affine, b: Affine) -> Affine | None:
    """`a // b`, in one form for all spellings (a divisor that is a symbol is taken as positive)."""
    if b == affine.ZERO:
        return None
    if not b[0]:
        return _quotient_of_constant(a, b[1])
    whole, rest = _whole_multiples(a, b)
    if rest == affine.ZERO:
        return affine.constant(whole)
    if _starts_negative(rest):  # floor(-m / b) = -(floor((m - 1) / b) + 1)
        less = affine.add(affine.scale(rest, -1), affine.constant(-1))
        more, less = _whole_multiples(less or rest, b)
        floor = _named("//", less, b)
        return affine.add(affine.constant(whole - more - 1), floor, -1)
    return affine.add(_named("//", rest, b), affine.constant(whole))


def _quotient_of_constant(a: Affine, divisor: int) -> Affine | None:
    if divisor < 0:
        return _quotient_of_constant(affine.scale(a, -1) or a, -divisor)
    exact = tuple((name, factor // divisor) for name, factor in a[0] if factor % divisor == 0)
    rest = tuple((name, factor) for name, factor in a[0] if factor % divisor)
    if not rest:
        return exact, a[1] // divisor
    left: Affine = rest, a[1]
    sign, extra = 1, 0
    if rest[0][1] < 0:
        left = affine.add(affine.scale(left, -1), affine.constant(-1)) or left
        sign, extra = -1, -1
    numerator: Affine = left[0], left[1] % divisor
    floor = affine.add(
        _named("//", numerator, affine.constant(divisor)), affine.constant(left[1] // divisor)
    )
    signed = affine.scale(floor, sign)
    return affine.add(affine.add((exact, 0), signed), affine.constant(extra))


def _starts_negative(a: Affine) -> bool:
    return bool(a[0]) and a[0][0][1] < 0


def _whole_multiples(a: Affine, b: Affine) -> tuple[int, Affine]:
    """`a = k * b + rest`, where `b` is one symbol or a sum that `a` contains."""
    first, factor = b[0][0]
    have = dict(a[0]).get(first, 0)
    if factor not in (1, -1) or not have or len(b[0]) > 1 or b[1]:
        return (1, affine.ZERO) if a == b else (0, a)
    times = have // factor
    rest = affine.add(a, affine.scale(b, times), -1)
    return times, rest or affine.ZERO


def remainder(a: Affine, b: Affine) -> Affine | None:
    """`a % b` as `a - b * (a // b)`, so that `n - n % b` is a multiple of `b`."""
    if b == affine.ZERO:
        return None
    floor = quotient(a, b)
    times = None if floor is None else product(floor, b)
    return affine.add(a, times, -1)


def rounded_up(atom: Atom) -> Affine | None:
    """`ceil(n / b)` of a quotient that was computed here; None for other numbers."""
    parts = quotient_parts(atom)
    if parts is None:
        return None
    floor = quotient(affine.scale(parts[0], -1) or parts[0], parts[1])
    return affine.scale(floor, -1)


def quotient_parts(atom: Atom) -> tuple[Affine, Affine] | None:
    """Numerator and denominator of the float `n / b`."""
    form = atom.affine if isinstance(atom, Number) and atom.type == "float" else None
    if form is None or len(form[0]) != 1 or form[1] or form[0][0][1] != 1:
        return None
    name = form[0][0][0]
    if isinstance(name, tuple) and len(name) == 3 and name[0] == "/":
        return name[1], name[2]
    return None


def _named(what: str, a: Affine, b: Affine) -> Affine | None:
    """A symbol for the result; None where it is nested too deep to be worth it."""
    if max(_depth(a), _depth(b)) >= _DEEPEST or len(a[0]) + len(b[0]) > _MOST_TERMS:
        return None
    return affine.symbol((what, a, b))


def _depth(a: Affine) -> int:
    deepest = 0
    for name, _ in a[0]:
        if isinstance(name, tuple) and name and name[0] in _REBUILD:
            deepest = max(deepest, 1 + max(map(_depth, name[1:])))
    return deepest


def substituted(form: Affine, number: Callable[[Hashable], Affine | None]) -> Affine | None:
    """A sum with other numbers for its symbols, also within products and quotients.

    `number` gives the sum to put in place of a symbol; None leaves it. The result is None where it
    is no longer a sum.
    """
    out: Affine | None = affine.constant(form[1])
    for name, factor in form[0]:
        out = affine.add(out, affine.scale(_substituted(name, number), factor))
    return out


def _substituted(name: Hashable, number: Callable[[Hashable], Affine | None]) -> Affine | None:
    given = number(name)
    if given is not None:
        return given
    if not isinstance(name, tuple) or not name or name[0] not in _REBUILD:
        return affine.symbol(name)
    parts: list[Affine] = []
    for part in name[1:]:
        new = substituted(part, number)
        if new is None:
            return None
        parts.append(new)
    if tuple(parts) == name[1:]:
        return affine.symbol(name)
    return _REBUILD[name[0]](*parts)


def extreme(which: str, forms: Values[Affine]) -> Affine:
    """The `min` or `max` of sums: the same operands give the same number."""
    constants = [form[1] for form in forms if not form[0]]
    distinct = {form for form in forms if form[0]}
    if constants:
        distinct.add(affine.constant(max(constants) if which == "max" else min(constants)))
    if len(distinct) == 1:
        return next(iter(distinct))
    return affine.symbol((which, *sorted(distinct, key=repr)))


def _true_quotient(a: Affine, b: Affine) -> Affine | None:
    return _named("/", a, b)


_REBUILD: dict[str, Callable[..., Affine | None]] = {
    "*": product,
    "//": quotient,
    "/": _true_quotient,
    "one-to-one": lambda form, how: _named("one-to-one", form, how),
    "min": lambda *forms: extreme("min", forms),
    "max": lambda *forms: extreme("max", forms),
}


def interval(
    operator: str, a: tuple[float, float], b: tuple[float, float], whole: bool = True
) -> tuple[float, float]:
    """The interval of the results, for numbers in these intervals, which are ints if `whole`."""
    everything = (-INFINITY, INFINITY)
    try:
        found = _interval(operator, a, b, whole)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return everything
    if found is None or any(bound != bound for bound in found):
        return everything
    return found


def _interval(
    operator: str, a: tuple[float, float], b: tuple[float, float], whole: bool
) -> tuple[float, float] | None:
    (la, ha), (lb, hb) = a, b
    if operator == "Add":
        return la + lb, ha + hb
    if operator == "Sub":
        return la - hb, ha - lb
    if operator == "Mult":
        return _corners(lambda x, y: 0 if 0 in (x, y) else x * y, a, b)
    if operator == "Div" and (lb > 0 or hb < 0):
        return _corners(_divide, a, b)
    if operator == "FloorDiv" and (lb > 0 or hb < 0):
        return _corners(_divide_down, a, b)
    if operator == "Mod" and lb > 0:
        if la >= 0 and ha < lb:
            return la, ha
        return 0, hb - 1 if whole else hb
    if operator == "Pow" and la >= 0:
        return 0, INFINITY
    if operator == "BitAnd" and (la >= 0 or lb >= 0):
        return 0, min(high for low, high in (a, b) if low >= 0)
    if operator in ("BitOr", "BitXor") and la >= 0 and lb >= 0:
        return 0, INFINITY
    if operator == "RShift" and la >= 0:
        return 0, ha
    if operator == "LShift" and la >= 0:
        return la, INFINITY
    return None


def _corners(
    compute: Callable[[float, float], float], a: tuple[float, float], b: tuple[float, float]
) -> tuple[float, float]:
    results = [compute(x, y) for x in a for y in b]
    return min(results), max(results)


def _divide(x: float, y: float) -> float:
    if abs(y) == INFINITY:
        return 0 if abs(x) != INFINITY else INFINITY * (1 if (x > 0) == (y > 0) else -1)
    return x / y


def _divide_down(x: float, y: float) -> float:
    if abs(y) == INFINITY:
        same = x == 0 or (x > 0) == (y > 0)
        if abs(x) == INFINITY:
            return INFINITY if same else -INFINITY
        return 0 if same else -1
    if abs(x) == INFINITY:
        return x if y > 0 else -x
    return x // y
