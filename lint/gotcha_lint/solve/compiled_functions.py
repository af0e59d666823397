"""A place that compiles, and what is known of its programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gotcha_lint.domain.sites import Origin, Site, Span
from gotcha_lint.domain.value import (
    NO_MARKS,
    Value,
)
from gotcha_lint.interpret.events import (
    CallString,
    CompiledCall,
    Location,
    Replaced,
)
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.cache_keys import Differing

Place = tuple[str, Span, str]  # path, span, what is there
Loops = frozenset[Any]


@dataclass(frozen=True, slots=True)
class Variation:
    """One thing that makes JAX compile a function again.

    kind: "identity" (a new function), "value" (of a static argument), "object" (a static argument
    hashed by identity), "data" (static data in a tree), "shape", "ragged" (a shorter last slice),
    "length" (a container grows), "structure", "dtype", "weak", "style" (by position or by name),
    "once" (made, called once and dropped by a function that may be called often), "no tree",
    "unhashable".
    `loops`: one program for each of their turns; empty: a few programs.
    """

    kind: str
    call: CompiledCall
    label: str = ""
    alternatives: tuple[str, ...] = ()
    loops: Loops = NO_MARKS
    axis: int = 0
    places: tuple[Place, ...] = ()
    certain: bool = True
    made: CallString = ()  # the calls that lead to where a new function is compiled
    fresh: frozenset[Site] = frozenset()  # captured objects that are new in each turn, too
    turns: int | None = None  # of all `loops`, where they are known
    cls: Site | None = None  # of an argument that is an object


@dataclass(frozen=True, slots=True)
class Capture:
    """Arrays that become constants of a program, with their bytes."""

    call: CompiledCall
    location: Location
    bytes: int | None
    origin: Origin | None
    total: int
    is_weights: bool = False  # of a model that the function applies: of unknown size, but not small


@dataclass(frozen=True, slots=True)
class Stale:
    """A captured location is written after the trace that read it; the compiled call keeps the old.

    `before`: its value at the trace; `after`: what is written; `writer`: the name of the function.
    """

    call: CompiledCall
    location: Location
    before: Value
    after: Value
    path: str
    span: Span
    of_object: bool
    static_self: bool
    at_top: bool  # by the code of a module, not by a function of it
    writer: str
    by_call: bool = False  # a call changes the object that the location holds


@dataclass(slots=True)
class CompiledFunction:
    """A place that compiles, and all that is known of its programs."""

    site: Site
    function: Function | None
    calls: int = 0
    exported: bool = True  # called only by functions that outsiders call
    keys: set[Any] = field(default_factory=set)
    variations: list[Variation] = field(default_factory=list)
    shared: bool = False  # with other places that compile the very same function
    distinct: int = 1  # programs that its calls from one root need for certain
    differing: tuple[Differing, ...] = ()  # and the parts of the key that tell them apart
    captures: list[Capture] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)
    globals: dict[tuple[str, str], list[CompiledCall]] = field(default_factory=dict)
    """Names of modules that traces read, by their path: the calls that read them."""
    traced: set[Function] = field(default_factory=set)  # that its traces run
    replaced: dict[str, tuple[CompiledCall, Replaced]] = field(default_factory=dict)
    """Arguments that the result replaces from turn to turn, not donated; and their bytes."""
    is_kept: bool = False  # made only where there is none yet: in a memoised function, say
