"""What is known of the elements of a result: bounds of indices, exact zeros, pieces of a softmax.

An operation that is not named here forgets all of it.
"""

from __future__ import annotations

from dataclasses import replace

from gotcha_lint.domain import affine
from gotcha_lint.domain.value import (
    INFINITY,
    Array,
    Constant,
    Elements,
    Number,
    Symbol,
    Tuple,
    Value,
    as_affine,
    constant,
)
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.numbers import bounds

_KEEPS = frozenset(
    ("reshape", "ravel", "flatten", "transpose", "squeeze", "expand_dims", "take_along_axis",
     "take", "swapaxes", "moveaxis", "flip", "roll", "concatenate", "getitem")
)  # fmt: skip
_KEEPS_ZEROS = frozenset(("negative", "tanh", "sin"))
_LINEAR = frozenset(("Add", "Sub", "Mult"))
_ITSELF = frozenset(("abs", "absolute", "square"))  # zero where the operand is
_NOT_NEGATIVE = frozenset(("abs", "absolute", "square", "sqrt", "norm", "std", "var"))
_DRAWN = frozenset(("normal", "truncated_normal", "uniform", "gumbel", "laplace", "exponential"))
_ORDERED = frozenset(("maximum", "minimum", "clip"))
_JOINS = frozenset(("concatenate", "concat", "append", "hstack", "vstack", "stack"))
_FILLS = {"full": (1, "fill_value"), "full_like": (1, "fill_value"), "pad": (3, "constant_values")}
NOTHING = Elements()
DRAWN = Elements(made="drawn")  # at random, from a density: never all zero, or all equal
MASK = Elements(0, 1, made="mask")  # truth values, as numbers
SPREAD, COUNT = "spread", "count"  # what a division by it needs a guard for
NORM = "norm"  # the same, of a norm
SHIFTED = "norm and a small number"
SQUARES = "squares"  # and their sum
DIFFERENCE = "difference"  # of two values, which may be equal
SQUARED_DIFFERENCES = "squared differences"  # and their sum
_SMALL = 1e-3
_MASKED = 1e3  # below the negative of it a number stands for minus infinity
REPEATED = "repeated"  # the same few again and again, as a table of the lengths of buckets
IGNORED = "ignored"  # labels, and the losses of them
_USUAL = -100  # PyTorch's mark of a label that does not count
PROBABILITIES = ("softmax", "softmax by hand", "sigmoid")
ROOTED = (SQUARES, SQUARED_DIFFERENCES)  # the root of their sum is a norm
INSERTED = "place to insert"  # in a sorted array: its size, for what is larger than all
SELF = "difference with itself"  # or of all pairs, each row with itself among them


def elements_of(value: Value) -> Elements | None:
    found: set[Elements | None] = {
        atom.elements if isinstance(atom, Array) else None for atom in value.atoms
    }
    return found.pop() if len(found) == 1 and not value.unknown else None


def with_elements(value: Value, elements: Elements | None) -> Value:
    if value.unknown or elements is None or elements == NOTHING:
        return value
    atoms = [a for a in value.atoms if isinstance(a, Array)]
    if len(atoms) < len(value.atoms):
        return value
    new = [replace(atom, elements=elements) for atom in atoms]
    return Value(new, False, value.marks, value.choice)


def identity_of(value: Value) -> object:
    """What names this very value, to see that a test looks at it."""
    atom = value.only
    if isinstance(atom, Array):
        return atom.origin
    return (atom.root, atom.path) if isinstance(atom, Symbol) else None


def after_function(machine: Machine, name: str, args: tuple[Value, ...], out: Value) -> Value:
    """The result of a function or method of arrays, with what is known of its elements."""
    if not args:
        return out
    operand = args[0]
    first = elements_of(operand)
    if name in ("reshape", "expand_dims") and first is None:
        return with_elements(out, Elements(made=("expanded", identity_of(args[0]))))
    if name == "randint" and len(args) > 3:
        last = affine.add(as_affine(args[3].only), affine.constant(-1))
        return with_elements(out, Elements(_number(args[2]) or 0, last=last))
    if name in _DRAWN:
        return with_elements(out, DRAWN)
    if name in _KEEPS:
        return with_elements(out, first)
    if name == "astype":
        return with_elements(out, MASK if _is_mask(operand) else first)
    if name in ("sum", "count_nonzero") and (_is_mask(operand) or name != "sum"):
        return with_elements(out, Elements(0, made=COUNT))
    if name in ("norm", "std") and (first is None or first.made in ("", "mask", DIFFERENCE)):
        zeros = first is not None and first.zeros
        return with_elements(out, Elements(0, zeros=zeros, made=NORM if name == "norm" else SPREAD))
    if name in ("sum", "sqrt") and first is not None and first.made in ROOTED:
        return with_elements(out, first if name == "sum" else replace(first, made=NORM))
    if name == "exp":
        return with_elements(out, Elements(0, made="exp"))
    if name == "sum" and first is not None and first.made == "exp":
        return with_elements(out, Elements(0, made="sum of exp"))
    if name == "softmax":
        zeros = first is not None and first.made == "masked"
        return with_elements(out, _probabilities("softmax", out, zeros))
    if name == "sigmoid":
        return with_elements(out, _probabilities("sigmoid", out))
    if name in ("relu", "relu6", "one_hot"):
        return with_elements(out, Elements(0, zeros=True))
    if name in _NOT_NEGATIVE:
        zeros = first is not None and first.zeros
        made: object = ("of", identity_of(operand)) if name in _ITSELF else ""
        made = SELF if first is not None and first.made == SELF else made
        return with_elements(out, Elements(0, zeros=zeros, made=made))
    if name in _KEEPS_ZEROS and first is not None and first.zeros:
        return with_elements(out, Elements(zeros=True))
    if name in ("sum", "mean") and first is not None and first.made == SELF:
        return with_elements(out, replace(first, made=""))
    if name in ("sum", "mean", "max") and first is not None and first.low >= 0:
        return with_elements(out, Elements(0 if name == "sum" else first.low))
    if name in _ORDERED:
        return with_elements(out, _ordered(name, args))
    if name == "meshgrid" and isinstance(out.only, Tuple) and len(out.only.items) == len(args):
        pairs = zip(out.only.items, args, strict=True)
        grids = tuple(with_elements(grid, elements_of(of)) for grid, of in pairs)
        return Value((replace(out.only, items=grids),), False, out.marks, out.choice)
    if name in ("argmax", "argmin", "searchsorted", "digitize", "arange"):
        return with_elements(out, _positions(name, args, out))
    if name == "where" and len(args) == 3:
        return with_elements(out, _chosen(args[1], args[2]))
    return out


def _probabilities(made: str, out: Value, zeros: bool = False) -> Elements:
    source = getattr(out.only, "origin", None)
    return Elements(0, 1, zeros=zeros, made=made, source=source)


def marked(call: Call, out: Value) -> Value:
    """Labels of NumPy or JAX of which some say that they do not count.

    Over-approximates: a negative number among labels is such a mark, whatever it was meant for.
    """
    name, args = call.short, call.args
    if name in _FILLS:
        fill = call.get(*_FILLS[name])
        return out if fill is None else with_elements(out, ignoring(fill))
    if name == "where" and len(args) == 3:
        return with_elements(out, ignoring(args[1]) or ignoring(args[2]))
    if name in _JOINS and args:
        parts = contents(call.engine, args[0])
        rows = parts.items if isinstance(parts, Tuple) else ()
        found = [elements_of(row) for row in rows]
        return with_elements(out, next((known for known in found if is_ignored(known)), None))
    return out


def ignoring(value: Value) -> Elements | None:
    """A negative whole number among labels says that some of them do not count."""
    number = value.constant
    marks = type(number) is int and -_MASKED < number < 0
    return Elements(made=(IGNORED, number, ())) if marks else None


def is_ignored(known: Elements | None) -> bool:
    """Labels of which some do not count, or the losses of them."""
    return known is not None and isinstance(known.made, tuple) and known.made[0] == IGNORED


def after_writing(array: Value, new: Value) -> Value:
    """`array[...] = new`"""
    return with_elements(array, ignoring(new)) if ignoring(new) is not None else array


def _is_mask(value: Value) -> bool:
    atom, known = value.only, elements_of(value)
    return (isinstance(atom, Array) and atom.dtype == "bool") or known == MASK


def _number(value: Value) -> float | None:
    atom = value.only
    if isinstance(atom, Constant) and type(atom.value) in (int, float):
        return float(atom.value)
    return None


def _ordered(name: str, args: tuple[Value, ...]) -> Elements | None:
    """`maximum(x, 0)` is exactly zero in a region."""
    if name == "clip":
        low = _number(args[1]) if len(args) > 1 else None
        high = _number(args[2]) if len(args) > 2 else None
    else:
        number = next((n for n in map(_number, args[:2]) if n is not None), None)
        low, high = (number, None) if name == "maximum" else (None, number)
    if low is None and high is None:
        return None
    return Elements(
        -INFINITY if low is None else low,
        INFINITY if high is None else high,
        zeros=low == 0,
        clamped=True,
    )


def _positions(name: str, args: tuple[Value, ...], out: Value) -> Elements | None:
    """Positions in an array, from 0 on."""
    atom = (out if name == "arange" else args[1 if name == "digitize" else 0]).only
    if name == "digitize" and len(args) < 2:
        return None
    if not isinstance(atom, Array) or atom.shape is None or len(atom.shape) != 1:
        return None
    if name == "arange" and len(args) != 1:
        return _between(args)
    size = as_affine(atom.shape[0])
    if size is None:
        return None
    if name in ("searchsorted", "digitize"):
        return Elements(0, last=size, made=INSERTED)
    return Elements(0, last=affine.add(size, affine.constant(-1)))


def _between(args: tuple[Value, ...]) -> Elements | None:
    """`arange(1, n)`: from a first number on, which is known and not negative."""
    first = _number(args[0])
    last = affine.add(as_affine(args[1].only), affine.constant(-1))
    if len(args) != 2 or first is None or first < 0 or first != int(first) or last is None:
        return None
    return Elements(first, last=last)


def _chosen(one: Value, other: Value) -> Elements | None:
    numbers = [_number(one), _number(other)]
    if set(numbers) == {0, 1}:
        return MASK
    if -INFINITY in numbers or any(n is not None and n <= -_MASKED for n in numbers):
        return Elements(made="masked")
    if 0 in numbers:
        return Elements(zeros=True)
    known = elements_of(one)
    return known if known is not None and known == elements_of(other) else None


def after_operator(operator: str, x: Value, y: Value, out: Value) -> Value:
    """`x operator y`"""
    if operator == "Sub" and _is_same(x, y):
        return with_elements(out, Elements(zeros=True, made=SELF))
    a, b = elements_of(x), elements_of(y)
    if operator in ("BitAnd", "BitOr") and (asked := _compared(a) or _compared(b)):
        return with_elements(out, asked)
    if operator in _LINEAR and (kept := _undefined(a, b)):
        return with_elements(out, kept)
    if operator == "Pow" and _number(y) == 2:
        if a is not None and a.made == SELF:
            return with_elements(out, replace(a, low=0))
        zeros = a is not None and a.zeros
        different = a is not None and a.made == DIFFERENCE
        made = SQUARED_DIFFERENCES if different else SQUARES
        return with_elements(out, Elements(0, zeros=zeros, made="" if zeros else made))
    if operator == "Mult" and _USUAL in (x.constant, y.constant):  # `-100 * (1 - mask)`
        return with_elements(out, ignoring(constant(_USUAL)))
    if a is None and b is None:
        return out
    if operator == "Add" and x.constant is None and y.constant is None:
        for known in (a, b):
            if is_ignored(known):
                return with_elements(out, known)
    if operator == "Div":
        if a is not None and b is not None and (a.made, b.made) == ("exp", "sum of exp"):
            return with_elements(out, _probabilities("softmax by hand", out))
        return with_elements(out, Elements(zeros=True)) if a is not None and a.zeros else out
    if operator == "Mult":
        zeros = any(each is not None and each.zeros for each in (a, b))
        return with_elements(out, Elements(zeros=True)) if zeros else out
    if operator == "Add" and a is None and b is not None:
        a, b, x, y = b, a, y, x
    if operator in ("Add", "Sub") and a is not None:
        by = _number(y)
        if by is not None:
            return with_elements(out, _shifted(a, by if operator == "Add" else -by))
    if operator == "Add" and a is not None and b is not None:
        return with_elements(out, Elements(a.low + b.low, a.high + b.high))
    return out


def _undefined(*operands: Elements | None) -> Elements | None:
    """Operands whose derivative is undefined somewhere: so is that of a sum or product of them."""
    found = [known.made for known in operands if known is not None]
    found = [m for m in found if isinstance(m, tuple) and m[0] in ("singular", "undefined")]
    if not found:
        return None
    return Elements(made=("undefined", frozenset().union(*(m[1] for m in found)), found[0][2]))


def _compared(known: Elements | None) -> Elements | None:
    """A mask that asks whether something is zero still does so with another mask beside it."""
    made = known.made if known is not None else ""
    return known if isinstance(made, tuple) and made[0] == "compared" else None


def _is_same(x: Value, y: Value) -> bool:
    """`p - p`, or `x[:, None] - x[None, :]`."""
    mine, its = identity_of(x), identity_of(y)
    if mine is not None and mine == its:
        return x.only == y.only
    bases: list[object] = []
    for value, own in ((x, mine), (y, its)):
        known = elements_of(value)
        expanded = known is not None and isinstance(known.made, tuple)
        if expanded and known is not None and known.made[0] == "expanded":
            bases.append(known.made[1])
        else:
            bases.append(own)
    return bases[0] is not None and bases[0] == bases[1]


def bounded(value: Value, numbers: Value) -> Value:
    """An array of these whole numbers."""
    ends = [
        bounds(atom)
        for atom in numbers.atoms
        if isinstance(atom, (Constant, Number)) and atom.type == "int"
    ]
    if not ends or len(ends) < len(numbers.atoms) or numbers.unknown:
        return value
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    if high == INFINITY:
        return value
    return with_elements(value, Elements(low, high, last=affine.constant(int(high))))


def _shifted(known: Elements, by: float) -> Elements:
    last = None
    if known.last is not None and by == int(by):
        last = affine.add(known.last, affine.constant(int(by)))
    made = SHIFTED if known.made == NORM and 0 < by <= _SMALL else ""
    return Elements(known.low + by, known.high + by, last, clamped=known.clamped, made=made)
