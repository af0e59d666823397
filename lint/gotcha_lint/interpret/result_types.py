"""What the generated table (`facts.avals`) says of a call, in the values of the interpreter.

Sizes become polynomials over symbols and come back as sizes: what a dimension of the result is
computed from, it varies with. Nothing is answered where an argument or its type is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice, product
from typing import Any

from gotcha_lint.domain.affine import Affine
from gotcha_lint.domain.record import record
from gotcha_lint.domain.sites import Origin
from gotcha_lint.domain.value import (
    FEW,
    INFINITY,
    NO_MARKS,
    Array,
    Atom,
    Constant,
    Library,
    Marks,
    Number,
    Size,
    Symbol,
    Tuple,
    Value,
    all_marks,
    fixed,
    join_all,
    only,
    size_from,
)
from gotcha_lint.facts.avals.table import table
from gotcha_lint.facts.avals.values import Aval, Dim, DType, Refused, Scalar, Unknown
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.promotion import canonical_dtype, dtype_of

_ALTERNATIVES = 8
_KEY = "key<fry>"  # the type of typed keys, by JAX's name
_WITHOUT_VALUES = frozenset(("shape_argument", "square", "iota", "arange"))
_SIZES = frozenset(
    ("num_classes", "num", "n", "N", "M", "k", "repeats", "size", "length", "total_repeat_length")
)  # parameters that are one number
_BY_HAND = frozenset(("jax.numpy.array", "jax.numpy.asarray"))  # lists differ there from arrays


class _NotKnown(Exception):
    """An argument cannot be said in the table's terms."""


def from_table(call: Call, name: str, args: Sequence[Value]) -> Value | None:
    """The result by the table; None where it has no answer."""
    row = table().row(name)
    if row is None or name in _BY_HAND or "*" in call.keywords:
        return None
    try:
        given = _bound(row, args, call.keywords)
        varying = {n: v.marks for n, v in given.items() if isinstance(v, Value)}
        results = [_result(call, name, row, chosen, varying) for chosen in _alternatives(given)]
    except _NotKnown:
        return None
    call.engine.equations += 1
    return join_all(results).marked(_marks(row, name, given, call))


def _bound(
    row: dict[str, Any], args: Sequence[Value], keywords: dict[str, Value]
) -> dict[str, Value | tuple[Value, ...]]:
    """Arguments by parameter, without those that change nothing."""
    given: dict[str, Value | tuple[Value, ...]] = {}
    rest = tuple(args)
    for name in row["sig"]:
        if not rest:
            break
        if name.startswith("*"):
            given[name[1:]], rest = rest, ()
        else:
            given[name], rest = rest[0], rest[1:]
    known = {*row["kw"], *row["sig"]}
    if rest or any(name in given or name not in known for name in keywords):
        raise _NotKnown
    given.update(keywords)
    inert = row.get("inert", ())
    return {name: value for name, value in given.items() if name not in inert}


def _alternatives(
    given: dict[str, Value | tuple[Value, ...]],
) -> Iterator[dict[str, Atom | tuple[Value, ...]]]:
    """One alternative of each argument, in all combinations."""
    choices: list[list[Atom | tuple[Value, ...]]] = []
    for value in given.values():
        if isinstance(value, tuple):
            choices.append([value])
        elif value.unknown or not value.atoms:
            raise _NotKnown
        else:
            choices.append(list(value.atoms))
    combined = list(islice(product(*choices), _ALTERNATIVES + 1))
    if len(combined) > _ALTERNATIVES:
        raise _NotKnown
    for chosen in combined:
        yield dict(zip(given, chosen, strict=True))


def _marks(
    row: dict[str, Any], name: str, given: dict[str, Value | tuple[Value, ...]], call: Call
) -> Marks:
    """What the elements vary with: the operands, and for draws the key."""
    if name.startswith("jax.random."):
        return call.marks
    if row["shape"][0] in _WITHOUT_VALUES:
        return NO_MARKS
    operands = [given[operand] for operand in row["ops"] if operand in given]
    values = [v for each in operands for v in (each if isinstance(each, tuple) else (each,))]
    return all_marks(values)


def _result(
    call: Call,
    name: str,
    row: dict[str, Any],
    given: dict[str, Atom | tuple[Value, ...]],
    varying: dict[str, Marks],
) -> Value:
    sizes = _Sizes()
    arguments: list[tuple[str, Any]] = []
    for parameter, atom in given.items():
        reader = _Reader(call, sizes, parameter in row["ops"], name.endswith("arange"))
        if isinstance(atom, tuple):
            arguments.append((parameter, tuple(reader.nested(value) for value in atom)))
        else:
            value = only(atom, varying.get(parameter, NO_MARKS))
            arguments.append((parameter, reader.outer(atom, value, parameter in _SIZES)))
    answer = _ask(name, tuple(arguments))
    if isinstance(answer, (Unknown, Refused)):
        raise _NotKnown
    if isinstance(answer, Aval):
        return _array(answer, sizes, call.origin)
    return only(Tuple(tuple(_array(aval, sizes, call.origin) for aval in answer), call.origin))


@lru_cache(maxsize=8192)
def _ask(name: str, arguments: tuple[tuple[str, Any], ...]) -> Any:
    data = table()
    row = data.row(name)
    return Unknown("no rule") if row is None else data.bound(row, dict(arguments))


def _array(aval: Aval, sizes: _Sizes, origin: Origin) -> Value:
    shape = tuple(sizes.size(dim, origin) for dim in aval.shape or ())
    dtype = "key" if aval.dtype == _KEY else aval.dtype
    return only(Array(dtype, aval.weak, shape, "device", origin))


@record
class _Reader:
    """Says the arguments of one parameter in the table's terms.

    Numbers that are equal and differ in type must not be equal there: they are keys of a cache.
    """

    call: Call
    sizes: _Sizes
    operand: bool  # it takes part in the type
    exact: bool  # the values of floating numbers matter

    def outer(self, atom: Atom, value: Value, size: bool) -> Any:
        if isinstance(atom, Symbol):
            if self.operand or not size:
                raise _NotKnown  # it may be a tuple
            return self.sizes.dim(size_from(value))
        return self._read(atom, value)

    def nested(self, value: Value) -> Any:
        """An element of a tuple or list."""
        atom = value.only
        if atom is None:
            return self._number_of(value)
        if isinstance(atom, Symbol):
            if self.operand:
                raise _NotKnown
            return self.sizes.dim(size_from(value))
        return self._read(atom, value)

    def _number_of(self, value: Value) -> Any:
        """One of several whole numbers."""
        whole = [isinstance(a, (Constant, Number)) and a.type == "int" for a in value.atoms]
        if value.unknown or not whole or not all(whole):
            raise _NotKnown
        return self.sizes.dim(size_from(value))

    def _read(self, atom: Atom, value: Value) -> Any:
        if isinstance(atom, Array):
            return self._aval(atom)
        if isinstance(atom, Constant):
            return self._constant(atom)
        if isinstance(atom, Number):
            if atom.type == "int":
                return self.sizes.dim(size_from(value))
            if atom.type in ("float", "bool", "complex"):
                return Scalar(atom.type)
            raise _NotKnown
        if isinstance(atom, Library):
            dtype = dtype_of(value)
            if dtype is None:
                raise _NotKnown
            return DType(dtype)
        content = contents(self.call.engine, value)
        if not isinstance(content, Tuple):
            raise _NotKnown
        return tuple(self.nested(item) for item in content.items)

    def _aval(self, array: Array) -> Aval:
        dtype = _KEY if array.dtype == "key" else canonical_dtype(array.dtype)
        if array.shape is None or dtype is None:
            raise _NotKnown
        return Aval(tuple(self.sizes.dim(size) for size in array.shape), dtype, array.weak)

    def _constant(self, atom: Constant) -> Any:
        value = atom.value
        if value is None or isinstance(value, str) or type(value) is int:
            return value
        if isinstance(value, (bool, float, complex)):
            keep = self.exact or isinstance(value, bool)
            return Scalar(atom.type, value if keep else None)
        raise _NotKnown


class _Sizes:
    """The sizes of one call as polynomials, and back.

    Sizes with an affine form share its symbols. Any other size is a symbol of its own: the same
    object is the same size, two objects may differ.
    """

    def __init__(self) -> None:
        self._symbols: dict[Any, str] = {}  # of an affine form, or the identity of a size
        self._forms: dict[str, Any] = {}  # back to the symbol of the affine form
        self._bounds: dict[str, tuple[float, float]] = {}
        self._mentions: dict[str, list[Size]] = {}
        self._given: dict[Any, Size] = {}

    def dim(self, size: Size) -> Any:
        if size.constant is not None:
            return size.constant
        if size.affine is None:
            name = self._symbol(("size", id(size)), size)
            self._bounds[name] = (size.low, size.high)
            dim: Any = Dim.symbol(name)
        else:
            dim = self._of_form(size, size.affine)
        self._given.setdefault(dim, size)
        return dim

    def _of_form(self, size: Size, form: Affine) -> Any:
        terms, constant = form
        dim: Any = constant
        for symbol, factor in terms:
            name = self._symbol(symbol, size)
            self._forms[name] = symbol
            if factor == 1 and not constant and len(terms) == 1:
                self._bounds[name] = (size.low, size.high)
            dim = Dim.symbol(name) * factor + dim
        return dim

    def _symbol(self, key: Any, size: Size) -> str:
        name = self._symbols.setdefault(key, f"s{len(self._symbols)}")
        self._mentions.setdefault(name, []).append(size)
        return name

    def size(self, dim: Any, origin: Origin) -> Size:
        """The size that a dimension of the result has."""
        if isinstance(dim, int):
            return fixed(dim, origin)
        known = self._given.get(dim)
        if known is not None:
            return known
        names = list(dict.fromkeys(_symbols_in(dim)))
        mentioned = [size for name in names for size in self._mentions[name]]
        marks = NO_MARKS.union(*(size.marks for size in mentioned))
        ragged = next((size.ragged for size in mentioned if size.ragged), None)
        low, high = self._interval(dim)
        found = next((size.origin for size in mentioned if size.origin), origin)
        size = Size(max(low, 0), max(high, 0), marks, None, self._form(dim), ragged, found)
        return replace(size, few=self._few(dim, names))

    def _few(self, dim: Dim, names: Sequence[str]) -> frozenset[int] | None:
        """All that it can be, where it is computed from one size that can be few."""
        if len(names) != 1:
            return None
        few = self._mentions[names[0]][0].few
        if few is None or self._given.get(Dim.symbol(names[0])) is None:
            return None
        values = frozenset(dim.value({names[0]: number}) for number in few)
        return values if len(values) <= FEW else None

    def _form(self, dim: Dim) -> Affine | None:
        terms: list[tuple[Any, int]] = []
        constant = 0
        for monomial, factor in dim.terms:
            if not monomial:
                constant = factor
            elif len(monomial) == 1 and monomial[0] in self._forms:
                terms.append((self._forms[monomial[0]], factor))
            else:
                return None
        return tuple(sorted(terms, key=repr)), constant

    def _interval(self, dim: Dim) -> tuple[float, float]:
        low, high = 0.0, 0.0
        for monomial, factor in dim.terms:
            least, most = 1.0, 1.0
            for symbol in monomial:
                lower, upper = self._bounds_of(symbol)
                if lower < 0:
                    return 0, INFINITY
                least, most = _times(least, lower), _times(most, upper)
            ends = sorted((_times(factor, least), _times(factor, most)))
            low, high = low + ends[0], high + ends[1]
        if low != low or high != high:  # infinite less infinite
            return 0, INFINITY
        return low, high

    def _bounds_of(self, symbol: Any) -> tuple[float, float]:
        if isinstance(symbol, str):
            return self._bounds.get(symbol, (-INFINITY, INFINITY))
        _, inner, by = symbol
        low, high = self._interval(inner)
        return low // by, (high if high == INFINITY else high // by)


def _times(a: float, b: float) -> float:
    return 0.0 if not a or not b else a * b


def _symbols_in(dim: Dim) -> Iterable[str]:
    for monomial, _ in dim.terms:
        for symbol in monomial:
            if isinstance(symbol, str):
                yield symbol
            else:
                yield from _symbols_in(symbol[1])
