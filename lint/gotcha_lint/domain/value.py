"""Abstract values: a set of alternatives, "or something unknown", and what the value varies with.

A mark is a loop in whose iterations a value differs (a loop is `(path, line, column)`), a parameter
mark (it varies with what the caller gives), or `EACH` (it differs at each evaluation). The marks of
a `Value` speak of the value, those of a `Size` of that dimension alone. `origin` is where something
was made; it takes no part in equality, so it costs no precision, and it gives findings their chain.

`join` is the least upper bound: commutative, associative and idempotent up to the caps, above which
the answer is the top ("something unknown"), which absorbs. The laws are property tests.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import field, replace
from typing import Any

from gotcha_lint.domain import affine
from gotcha_lint.domain.affine import Affine
from gotcha_lint.domain.keys import Key
from gotcha_lint.domain.record import record
from gotcha_lint.domain.sites import Origin, Site

INFINITY = float("inf")
Marks = frozenset[Any]
Ragged = tuple[Hashable, int | None]
NO_MARKS: Marks = frozenset()
EACH = "each evaluation"
GROWS = "grows"  # `(GROWS, loop)`: a size is larger in each turn, not just another one
FEW = 8  # so many sizes or constants are kept apart; more become an interval
ALTERNATIVES = 12  # more become the top
DEPTH = 6  # of containers in containers; deeper ones become the top


@record
class Constant:
    """A Python constant whose value is known."""

    value: Any
    type: str
    origin: Origin | None = field(default=None, compare=False)

    def __hash__(self) -> int:
        return hash((self.type, self.value))


@record
class Number:
    """A Python number (or text) of a known type: an interval and, for an int, an affine sum."""

    type: str  # "int", "float", "bool", "complex", "str"
    low: float = -INFINITY
    high: float = INFINITY
    affine: Affine | None = None
    origin: Origin | None = field(default=None, compare=False)


@record
class Size:
    """A dimension of an array, or the length of a container."""

    low: float = 0
    high: float = INFINITY
    marks: Marks = NO_MARKS
    few: frozenset[int] | None = None  # all that it can be
    affine: Affine | None = None
    ragged: Ragged | None = None  # the range whose last slice is shorter
    origin: Origin | None = field(default=None, compare=False)

    @property
    def constant(self) -> int | None:
        return int(self.low) if self.low == self.high else None


@record
class Elements:
    """What is known of all elements of an array.

    `last`: for indices, an affine sum that the largest can be. `zeros`: some are exactly zero for
    inputs of a whole region, as after `relu`. `clamped`: each bound is reached in such a region, as
    after `clip`. `made`: by what operation, where rules ask: "exp",
    "sum of exp", "softmax"; or a tuple that begins with such a word, as "expanded". `source`: of
    probabilities, where they were made.
    """

    low: float = -INFINITY
    high: float = INFINITY
    last: Affine | None = None
    zeros: bool = False
    clamped: bool = False
    made: Any = ""  # hashable
    source: Origin | None = field(default=None, compare=False)


@record
class Array:
    """An array: dtype and shape where known. `place`: "device", "host" (numpy), "python" number.

    `key`: which random key it is, or which keys. `elements`: None where nothing is known of them.
    """

    dtype: str | None
    weak: bool
    shape: tuple[Size, ...] | None
    place: str = "device"
    origin: Origin | None = field(default=None, compare=False)
    key: Key | None = None
    elements: Elements | None = None


@record
class Tuple:
    items: tuple[Value, ...]
    origin: Origin | None = field(default=None, compare=False)


@record
class Sequence:
    """Any number of elements: contents of a list of unknown length, an iterator, a generator."""

    element: Value
    size: Size
    origin: Origin | None = field(default=None, compare=False)
    is_range: bool = False  # its elements are counted: `range`, `enumerate` of one


@record
class Mapping:
    keys: tuple[Any, ...]
    values: tuple[Value, ...]
    rest: Value | None = None  # of keys that are not known
    origin: Origin | None = field(default=None, compare=False)


@record
class Library:
    """A function, class, module or object of a library, by its full (canonical) name."""

    name: str
    origin: Origin | None = field(default=None, compare=False)


@record
class Method:
    """A bound method of the receiver."""

    receiver: Value
    name: str
    origin: Origin | None = field(default=None, compare=False)


@record
class Object:
    """An object made at an allocation site."""

    site: Site
    origin: Origin | None = field(default=None, compare=False)


@record
class Symbol:
    """Unknown but stable: what a caller gives, or what is read from it (`config.model.width`).

    `root` is `(function, parameter)`; a step of `path` is `.name`, `[key]` or `[*]` (an element).
    Two uses of the same symbol are the same value.
    """

    root: Hashable
    path: tuple[Any, ...] = ()
    origin: Origin | None = field(default=None, compare=False)

    def step(self, step: Any, origin: Origin | None = None) -> Symbol | None:
        return Symbol(self.root, (*self.path, step), origin) if len(self.path) < 4 else None


@record
class Anything:
    """More alternatives than are kept: any value at all, none of which is told apart."""

    origin: Origin | None = field(default=None, compare=False)


Atom = (
    Anything
    | Constant
    | Number
    | Array
    | Tuple
    | Sequence
    | Mapping
    | Library
    | Method
    | Object
    | Symbol
)


class Value:
    """A set of alternatives, and whether it may be something unknown besides.

    The alternatives keep the order in which they were found, so that no run differs from another;
    it makes no other value of them.
    `choice`: with what it varies which alternative it is. Without it, a configuration may decide
    once for all; the marks alone say that the value differs, not that its kind does.
    """

    __slots__ = ("_ground", "_hash", "atoms", "choice", "marks", "unknown")

    def __init__(
        self,
        atoms: Iterable[Atom] = (),
        unknown: bool = False,
        marks: Marks = NO_MARKS,
        choice: Marks = NO_MARKS,
    ) -> None:
        given = tuple(atoms)
        self.atoms = given if len(given) < 2 else tuple(dict.fromkeys(given))
        self.unknown = unknown
        self.marks = marks
        self.choice = choice
        self._hash: int | None = None
        self._ground: bool | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            atoms = self.atoms if len(self.atoms) < 2 else frozenset(self.atoms)
            self._hash = hash((atoms, self.unknown, self.marks, self.choice))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Value)
            and hash(self) == hash(other)
            and self.unknown == other.unknown
            and self.marks == other.marks
            and self.choice == other.choice
            and same_atoms(self.atoms, other.atoms)
        )

    def __repr__(self) -> str:
        marks = f" varies with {set(self.marks)}" if self.marks else ""
        return f"Value({self.atoms or ''}{'?' if self.unknown else ''}{marks})"

    @property
    def only(self) -> Atom | None:
        """The alternative, where there is exactly one."""
        return self.atoms[0] if len(self.atoms) == 1 and not self.unknown else None

    @property
    def constant(self) -> Any:
        """The value of the constant that this is; None for the constant None and all others."""
        atom = self.only
        return atom.value if isinstance(atom, Constant) else None

    @property
    def is_none(self) -> bool:
        atom = self.only
        return isinstance(atom, Constant) and atom.value is None

    @property
    def is_ground(self) -> bool:
        """It is the same for all callers: it holds no symbol, and nothing that varies."""
        if self._ground is None:
            self._ground = not (self.marks or self.choice) and all(map(_is_ground, self.atoms))
        return self._ground

    @property
    def is_bottom(self) -> bool:
        return not self.atoms and not self.unknown

    def marked(self, marks: Marks) -> Value:
        """The same, varying with these besides."""
        if marks <= self.marks:
            return self
        return Value(self.atoms, self.unknown, self.marks | marks, self.choice)


def same_atoms(a: tuple[Atom, ...], b: tuple[Atom, ...]) -> bool:
    """Are they the same alternatives, in whatever order?"""
    return a == b or (len(a) == len(b) > 1 and frozenset(a) == frozenset(b))


UNKNOWN = Value(unknown=True)  # nothing is known of it; joined with `x` it may still be `x`
BOTTOM = Value()
TOP = Value((Anything(),), unknown=True)  # absorbs what it is joined with


def constant(value: Any, origin: Origin | None = None) -> Value:
    return Value((Constant(value, type(value).__name__, origin),))


NONE = constant(None)


def only(atom: Atom, marks: Marks = NO_MARKS) -> Value:
    return Value((atom,), False, marks)


def _is_ground(atom: Atom) -> bool:
    """As `Value.is_ground`; no for what is seldom so."""
    if isinstance(atom, Tuple):
        return all(item.is_ground for item in atom.items)
    if isinstance(atom, Method):
        return atom.receiver.is_ground
    if isinstance(atom, Number):
        return atom.affine is None
    return isinstance(atom, (Constant, Library, Object))


def all_marks(values: Iterable[Value]) -> Marks:
    """What any of the values varies with."""
    return NO_MARKS.union(*(value.marks for value in values))


OPTIMIZER_STATE = "optimizer state"
TREE = "tree of arrays"  # of unknown structure; `info[LEAF]` of its site is one of its leaves
LEAF = "*"


def is_optimizer_state(atom: Atom) -> bool:
    """A tree of arrays, of which nothing else is known."""
    return isinstance(atom, Object) and atom.site.info.get("name") in (OPTIMIZER_STATE, TREE)


def is_tree_of_leaf(atom: Atom) -> bool:
    """A tree of unknown structure whose leaves are known."""
    return isinstance(atom, Object) and atom.site.info.get("name") == TREE


def as_leaf(value: Value) -> Value:
    """A tree of which nothing but its leaf is known, where an array is needed: that leaf."""
    atom = value.only
    if not isinstance(atom, Object) or not is_tree_of_leaf(atom):
        return value
    leaf = atom.site.info[LEAF]
    atoms = [replace(a, shape=None) if isinstance(a, Array) else a for a in leaf.atoms]
    return Value(atoms, leaf.unknown, leaf.marks | value.marks)


def fixed(size: int, origin: Origin | None = None) -> Size:
    """A size that is known."""
    return Size(size, size, origin=origin)


def as_affine(of: Atom | Size | None) -> Affine | None:
    if isinstance(of, Constant):
        return affine.constant(of.value) if type(of.value) is int else None
    if isinstance(of, Number):
        return of.affine
    if isinstance(of, Symbol):
        return affine.symbol(of)
    if isinstance(of, Size):
        return affine.constant(of.constant) if of.constant is not None else of.affine
    return None


def size_from(value: Value, origin: Origin | None = None) -> Size:
    """A Python number used as a size."""
    low, high = INFINITY, -INFINITY
    few: set[int] | None = set()
    form: Affine | None = None
    if value.unknown or not value.atoms:  # it may be rounded up to a few sizes: no marks
        return Size(origin=origin)
    for atom in value.atoms:
        if isinstance(atom, Constant) and isinstance(atom.value, (int, float)):
            if abs(atom.value) == INFINITY:
                return Size(0, INFINITY, value.marks, origin=origin)
            low, high = min(low, atom.value), max(high, atom.value)
            if few is not None:
                few.add(int(atom.value))
            origin = origin or atom.origin
        elif isinstance(atom, Number):
            low, high, few = min(low, atom.low), max(high, atom.high), None
            form = atom.affine
            origin = atom.origin or origin
        elif isinstance(atom, Symbol):
            low, high, few, form = min(low, 0), INFINITY, None, affine.symbol(atom)
        else:
            return Size(0, INFINITY, value.marks, origin=origin)
    if low == high:
        return Size(low, high, origin=origin)
    single = form if len(value.atoms) == 1 else None
    kept = frozenset(few) if few else None
    return Size(max(low, 0), high, value.marks, kept, single, None, origin)


def is_of_unknown(form: Affine | None) -> bool:
    """A sum of nothing but what is read from symbols, and lengths of something unknown.

    The length of unknown elements is unknown: all may be of one length.
    """
    return (
        form is not None
        and bool(form[0])
        and all(
            isinstance(name, Symbol) or (isinstance(name, tuple) and name[0] == "len")
            for name, _ in form[0]
        )
    )


def value_of(size: Size) -> Value:
    """A size as a Python number."""
    if size.constant is not None:
        return constant(size.constant, size.origin)
    marks = size.marks | {("ragged", size.ragged[0])} if size.ragged else size.marks
    if size.few:
        return Value([Constant(n, "int", size.origin) for n in size.few], False, marks)
    if size.affine is not None and len(size.affine[0]) == 1 and not size.affine[1]:
        name, factor = size.affine[0][0]
        if isinstance(name, Symbol) and factor == 1:
            return only(name, marks)
    return only(Number("int", size.low, size.high, size.affine, size.origin), marks)


def join_sizes(a: Size, b: Size, loop: Marks = NO_MARKS, widen: bool = False) -> Size:
    """Least upper bound; with `loop`, what differs varies with that loop.

    With `widen`, a bound that moves becomes the last one that is possible.
    """
    if a == b:
        return a
    few = None
    first = a.few or (frozenset((int(a.low),)) if a.low == a.high else None)
    second = b.few or (frozenset((int(b.low),)) if b.low == b.high else None)
    if first and second and len(first | second) <= FEW and not widen:
        few = first | second
    low, high = min(a.low, b.low), max(a.high, b.high)
    if widen:
        low, high = (low if low == a.low else 0), (high if high == a.high else INFINITY)
    return Size(
        low,
        high,
        a.marks | b.marks | loop,
        few,
        a.affine if a.affine == b.affine else None,
        _one_ragged(a.ragged, b.ragged),
        a.origin or b.origin,
    )


def _one_ragged(a: Ragged | None, b: Ragged | None) -> Ragged | None:
    """One of two ranges, whichever operand it came from."""
    if a is None or b is None or a == b:
        return a or b
    return min(a, b, key=repr)


def join(a: Value, b: Value, loop: Marks = NO_MARKS, widen: bool = False, depth: int = 0) -> Value:
    """Least upper bound. With `loop`, what differs between the two varies with that loop.

    With `widen`, intervals that grow become infinite, so that a fixpoint ends.
    """
    if a is b or a == b or b.is_bottom:
        return a
    if a.is_bottom:
        return b
    marks, choice = a.marks | b.marks, a.choice | b.choice
    same = same_atoms(a.atoms, b.atoms)
    if loop and (not same or a.unknown != b.unknown):
        marks, choice = marks | loop, choice | loop
    unknown = a.unknown or b.unknown
    if same:
        return Value(a.atoms, unknown, marks, choice)
    if depth > DEPTH or a.atoms == TOP.atoms or b.atoms == TOP.atoms:
        return Value(TOP.atoms, True, marks, choice)
    groups: dict[Hashable, Atom] = {}
    for atom in (*a.atoms, *b.atoms):
        key = _kind(atom)
        old = groups.get(key)
        new = atom if old is None or old == atom else _merge(old, atom, loop, widen, depth + 1)
        groups[key] = old if old is not None and old == atom else new
    atoms = _few_numbers(list(groups.values()), widen)
    if len(atoms) > ALTERNATIVES:
        return Value(TOP.atoms, True, marks, choice)
    return Value(atoms, unknown, marks, choice if len(atoms) + unknown > 1 else NO_MARKS)


def join_all(values: Iterable[Value]) -> Value:
    out = BOTTOM
    for value in values:
        out = join(out, value)
    return out


def leq(a: Value, b: Value) -> bool:
    """Does `b` allow for all that `a` allows for?"""
    return join(a, b) == b


def _kind(atom: Atom) -> Hashable:
    """Alternatives of one kind are merged into one."""
    if isinstance(atom, Array):
        rank = None if atom.shape is None else len(atom.shape)
        return Array, atom.dtype, atom.weak, atom.place, rank
    if isinstance(atom, Tuple):
        return Tuple, len(atom.items)
    if isinstance(atom, Mapping):
        return Mapping, atom.keys
    if isinstance(atom, Sequence):
        return Sequence
    if isinstance(atom, Number):
        return Number, atom.type
    if isinstance(atom, Method):
        return Method, atom.name
    return atom


def _merge(old: Atom, new: Atom, loop: Marks, widen: bool, depth: int) -> Atom:
    if isinstance(old, Array) and isinstance(new, Array):
        key = old.key if old.key == new.key else None
        elements = old.elements if old.elements == new.elements else None
        if old.shape is None or new.shape is None:
            return replace(old, shape=None, key=key, elements=elements)
        sizes = zip(old.shape, new.shape, strict=True)
        shape = tuple(join_sizes(a, b, loop, widen) for a, b in sizes)
        return replace(old, shape=shape, key=key, elements=elements)
    if isinstance(old, Tuple) and isinstance(new, Tuple):
        return Tuple(_join_items(old.items, new.items, loop, widen, depth), old.origin)
    if isinstance(old, Sequence) and isinstance(new, Sequence):
        element = join(old.element, new.element, loop, widen, depth)
        size = join_sizes(old.size, new.size, loop, widen)
        return Sequence(element, size, old.origin, old.is_range and new.is_range)
    if isinstance(old, Number) and isinstance(new, Number):
        low, high = min(old.low, new.low), max(old.high, new.high)
        if widen:
            low = low if low == old.low else -INFINITY
            high = high if high == old.high else INFINITY
        form = new.affine if new.affine == old.affine else None
        return Number(new.type, low, high, form, old.origin)
    if isinstance(old, Method) and isinstance(new, Method):
        receiver = join(old.receiver, new.receiver, loop, widen, depth)
        return Method(receiver, old.name, old.origin)
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        values = _join_items(old.values, new.values, loop, widen, depth)
        rest = join(old.rest or BOTTOM, new.rest or BOTTOM, loop, widen, depth)
        return Mapping(old.keys, values, None if rest.is_bottom else rest, old.origin)
    return old


def _join_items(
    a: tuple[Value, ...], b: tuple[Value, ...], loop: Marks, widen: bool, depth: int
) -> tuple[Value, ...]:
    return tuple(join(x, y, loop, widen, depth) for x, y in zip(a, b, strict=True))


def _few_numbers(atoms: list[Atom], widen: bool) -> list[Atom]:
    """Constants of a type become an interval where there are many, or an interval already.

    Many constants, or with them more alternatives than are kept.
    """
    known = [x for x in atoms if isinstance(x, Constant) and x.type in ("int", "float")]
    intervals = {x.type: x for x in atoms if isinstance(x, Number)}
    many = len(known) > (1 if widen else FEW) or len(atoms) > ALTERNATIVES
    if not known or not (many or intervals):
        return atoms
    for kind in ("int", "float"):
        same = [x for x in known if x.type == kind]
        interval = intervals.get(kind)
        if not same or len(same) + (interval is not None) < 2:
            continue
        numbers = [x.value for x in same]
        low, high = min(numbers), max(numbers)
        if interval is not None:
            low, high = min(low, interval.low), max(high, interval.high)
        if widen:
            low, high = (low if low == min(numbers) else -INFINITY), INFINITY
        merged = Number(kind, low, high, None, same[0].origin)
        atoms = [x for x in atoms if x is not interval and x not in same] + [merged]
    return atoms
