"""What events are made of: places, types, marks of values, functions. Plain values all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Site(NamedTuple):
    """A line of a program. `function` is the qualified name of the function it belongs to."""

    path: str
    line: int
    function: str = ""


class Turn(NamedTuple):
    """What the loop at `loop` counted when a call in it ran."""

    name: str
    value: int
    loop: Site


class Leaf(NamedTuple):
    """One array of an argument. `kind`: array, numpy, scalar, tracer, or the type's name."""

    shape: tuple[int, ...]
    dtype: str
    weak: bool = False
    sharding: str = ""
    committed: bool = False
    kind: str = "array"
    given: str = ""  # its dtype on the host, where JAX made another of it

    def __str__(self) -> str:
        weak = ", weak type" if self.weak else ""
        return f"{self.dtype}[{','.join(map(str, self.shape))}]{weak}"


SAMPLED = "sampled"  # begins the key of an array of which only some elements were looked at


class Mark(NamedTuple):
    """A value that is not kept: equal keys are what JAX takes for equal values.

    `source` is what stays equal when a value is made again by the same code: the code of a
    function, the contents of an object that compares by identity. `kind`: value, function,
    method, partial, object, identity, array, container.
    """

    kind: str
    text: str
    key: object
    source: object = None
    parts: tuple[tuple[str, Mark], ...] = ()  # what it is made of, by path


@dataclass(frozen=True, slots=True)
class Signature:
    """All that JAX looks a compiled program up by, as far as it can be seen.

    Leaves, containers and static data are keyed by their path, like `state['params']['w']`.
    """

    call: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # positional arguments, keywords
    leaves: Mapping[str, Leaf] = field(default_factory=dict)
    nodes: Mapping[str, str] = field(default_factory=dict)  # container types
    meta: Mapping[str, Mark] = field(default_factory=dict)  # static data inside pytrees
    statics: Mapping[str, Mark] = field(default_factory=dict)  # static arguments
    context: Mapping[str, str] = field(default_factory=dict)  # tracing context: flags, mesh
    options: Mapping[str, str] = field(default_factory=dict)  # donation, shardings, ...
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Capture:
    """A value that a traced function reads from outside. `kind`: closure, global, self, partial."""

    name: str
    kind: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Constant:
    """An array baked into a program; `origin` is the variable it came from, or empty."""

    origin: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int
    digest: str = ""  # of sampled contents, to tell equal constants


@dataclass(frozen=True, slots=True)
class Function:
    """The function that was compiled.

    `key` tells sources apart and is the same for each new object of one source; `serial` tells
    function objects apart, and `bound` the method objects that each `obj.method` makes again.
    `kind`: function, lambda, nested function, partial, bound method, callable object, transformed
    function. `owner`: user, library, jax.
    """

    name: str
    key: tuple[object, ...]
    serial: int
    kind: str
    owner: str
    site: Site | None = None  # where it is defined
    bound: int = 0


class Equations(NamedTuple):
    """Of a traced program: how many, and the lines that made the most (about so many each)."""

    total: int
    lines: tuple[tuple[Site, int], ...]


class Difference(NamedTuple):
    """One thing that differs from an earlier program: a cause, the path, and both sides."""

    cause: str
    path: str
    old: str
    new: str
    renewed: bool = False  # equal source and contents: only made again

    def __str__(self) -> str:
        what = f"{self.path}: " if self.path else ""
        return f"{what}{self.old} -> {self.new}" if self.old or self.new else self.path
