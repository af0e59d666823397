"""What the arguments of a compiled call come to: the leaves of a tree, and static values."""

from __future__ import annotations

from dataclasses import dataclass, field

from gotcha_lint.domain.record import record
from gotcha_lint.domain.sites import Origin, Site
from gotcha_lint.domain.value import NO_MARKS, Marks, Size, Symbol, Value, join_sizes

Axis = tuple[int, int]  # rank, axis


@dataclass(slots=True)
class Leaf:
    """A node of the argument tree: what it can be, each with where it comes from."""

    kinds: dict[str, Origin | None] = field(default_factory=dict)
    dtypes: dict[str, Origin | None] = field(default_factory=dict)
    weaks: dict[bool, Origin | None] = field(default_factory=dict)
    sizes: dict[Axis, tuple[Size, Origin | None]] = field(default_factory=dict)
    ranks: set[int | None] = field(default_factory=set)  # None: of an array of unknown shape
    untyped: bool = False  # an array of unknown dtype is one of the alternatives
    symbols: tuple[tuple[Symbol, Marks], ...] = ()
    marks: Marks = NO_MARKS  # with what it varies which alternative it is
    unknown: bool = False  # it may be something else besides
    shapeless: bool = False  # it may be an array whose shape is not known

    def add(self, other: Leaf) -> None:
        self.kinds = other.kinds | self.kinds
        self.dtypes = other.dtypes | self.dtypes
        self.weaks = other.weaks | self.weaks
        for axis, (size, origin) in other.sizes.items():
            old = self.sizes.get(axis)
            new = join_sizes(old[0], size) if old else size
            self.sizes[axis] = new, (old and old[1]) or origin
        self.ranks |= other.ranks
        self.untyped = self.untyped or other.untyped
        self.symbols = tuple(dict.fromkeys((*self.symbols, *other.symbols)))
        self.marks |= other.marks
        self.unknown = self.unknown or other.unknown
        self.shapeless = self.shapeless or other.shapeless


Leaves = dict[str, Leaf]


@record
class Static:
    """A static argument, or a part of one, that can make programs differ.

    kind: "value" (differs with the marks), "few" (one of some known floats), "object" (hashed by
    identity, made at `site`), "unhashable", "length" (a container that grows), "no tree" (an object
    that JAX cannot trace), "symbol" (what a caller gives: taken apart when it is known).
    """

    label: str
    kind: str
    marks: Marks = NO_MARKS
    site: Site | None = None
    origin: Origin | None = None
    cls: Site | None = None
    value: Value | None = None
    certain: bool = True  # False: how many values it takes is not known
