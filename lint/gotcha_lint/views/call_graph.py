"""Which functions call which, through which transforms: what is traced, and what runs many times.

A may analysis: a function is traced as soon as one call that was interpreted leads to it through a
transform. Calls that were not interpreted, such as those of outsiders, are not in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest

from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.value import UNKNOWN, Atom, Library, Marks, Method, Object, Value
from gotcha_lint.interpret.compiled import Inner, static_names
from gotcha_lint.interpret.engine import Engine
from gotcha_lint.interpret.heap import class_attribute
from gotcha_lint.interpret.machine import Instruction, Registers
from gotcha_lint.interpret.models.transforms import COMPILING
from gotcha_lint.program.ir import Function, Module
from gotcha_lint.program.modules import ModuleIndex
from gotcha_lint.rule_helpers.wording import loop_places
from gotcha_lint.solve.compiled_functions import Place

_MAPPING = frozenset({"vmap", "nnx.vmap"})  # the engine follows them without a trace


@dataclass(frozen=True, slots=True)
class Edge:
    """A function calls another one, at `call`, through `roles`; `places` say how.

    `traced`: while JAX traces the caller. `on_host`: what is traced calls it back while it runs.
    """

    caller: Function
    callee: Function
    call: Place
    roles: tuple[str, ...]
    static: frozenset[str]
    places: tuple[Place, ...]
    looped: bool
    traced: bool = True
    on_host: bool = False


@dataclass(slots=True)
class Runs:
    """How a function is run. `traced` and `hot`: the places that lead to it, outermost first."""

    roles: frozenset[str] = frozenset()
    static: frozenset[str] = frozenset()
    traced: tuple[Place, ...] = ()
    hot: tuple[Place, ...] = ()
    hosted: bool = False  # also by code that is not traced


@dataclass(slots=True)
class _Open:
    """A call that is being interpreted. `written`: by an instruction, not by a transform."""

    callee: Value
    path: str
    span: Span
    written: bool
    caller: Function
    traced: int
    loops: Marks


class CallGraph(Engine):
    """The interpreter, which notes the calls between functions of the program."""

    def __init__(self, modules: dict[str, Module], index: ModuleIndex) -> None:
        super().__init__(modules, index)
        self.edges: dict[tuple[Function, Function, tuple[str, ...]], Edge] = {}
        self._open: list[_Open] = []

    def _do_call(self, i: Instruction, r: Registers) -> None:
        with self._calling(r.get(i[2], UNKNOWN), i[-1], True):
            super()._do_call(i, r)

    def call(
        self, callee: Value, args: Sequence[Value], keywords: dict[str, Value], span: Span
    ) -> Value:
        with self._calling(callee, span, False):
            return super().call(callee, args, keywords, span)

    def entered(self, function: Function, span: Span) -> None:
        """Notes an edge to the function; the first of those with the same roles stands."""
        caller = self.activation.function
        steps = self._steps(caller)
        roles = tuple(filter(None, self._roles(steps)))
        traced = self.traced + self.differentiated > 0
        key = caller, function, (*roles, str(traced))
        known = self.edges.get(key)
        looped = any(loop_places(step.loops) for step in steps) or bool(loop_places(self.current))
        if known is None or (looped and not known.looped):
            places = tuple(self._places(steps, function)) or ((self.path, span, function.name),)
            path, at = (steps[0].path, steps[0].span) if steps else (self.path, span)
            self.edges[key] = Edge(
                caller,
                function,
                (path, at, function.name),
                roles,
                self._static(steps),
                places,
                looped,
                traced,
                self.callback > 0,
            )

    def all_edges(self) -> Iterator[Edge]:
        """Of calls, and of functions that a transform was given and that have no call here."""
        yield from self.edges.values()
        for site in dict.fromkeys(self.sites.values()):
            if site.kind == "transform" and site.info.get("word", "partial") != "partial":
                inner = Inner(self, site.info["inner"])
                if inner.function is not None:
                    role = _role_of(site)
                    place = site.path, site.span, f"{role} of {inner.function.name}"
                    static = self._static_of(site)
                    caller = site.info["frame"].function
                    yield Edge(caller, inner.function, place, (role,), static, (place,), False)

    @contextmanager
    def _calling(self, callee: Value, span: Span, written: bool) -> Iterator[None]:
        caller, traced = self.activation.function, self.traced + self.differentiated
        step = _Open(callee, self.path, span, written, caller, traced, self.current)
        self._open.append(step)
        try:
            yield
        finally:
            self._open.pop()

    def _steps(self, caller: Function) -> list[_Open]:
        """From the call that the caller's text has to the one that is open, outermost first."""
        steps: list[_Open] = []
        for step in reversed(self._open):
            if step.caller is not caller:
                break
            steps.append(step)
            if step.written:
                break
        return steps[::-1]

    def _roles(self, steps: Sequence[_Open]) -> list[str]:
        return [self._role(*pair) for pair in zip_longest(steps, steps[1:])]

    def _role(self, step: _Open, following: _Open | None) -> str:
        """What a call makes of the function that it leads to: a word, if it transforms it."""
        site = self._transform(step.callee.only)
        if site is not None:
            return _role_of(site)
        atom = step.callee.only
        traced = self.traced + self.differentiated if following is None else following.traced
        if isinstance(atom, Library) and traced > step.traced:
            return atom.name.rpartition(".")[2]
        return ""

    def _transform(self, atom: Atom | None) -> Site | None:
        """What a transform made, perhaps of a method of a class."""
        if isinstance(atom, Method):
            for receiver in atom.receiver.atoms:
                cls = receiver.site.info.get("class") if isinstance(receiver, Object) else None
                found = class_attribute(self, cls, atom.name) if cls is not None else None
                if found is not None and not isinstance(found.only, Method):
                    return self._transform(found.only)
        if not isinstance(atom, Object) or atom.site.kind != "transform":
            return None
        return None if atom.site.info["word"] == "partial" else atom.site

    def _places(self, steps: Sequence[_Open], function: Function) -> Iterator[Place]:
        """`jit of step` where it is made; else the call."""
        roles = self._roles(steps)
        for step, role in zip(steps, roles, strict=True):
            site = self._transform(step.callee.only)
            made = (site.path, site.span) if site is not None else (step.path, step.span)
            if role:
                yield *made, f"{role} of {function.name}"
        if steps and not any(roles):
            yield steps[0].path, steps[0].span, function.name

    def _static(self, steps: Sequence[_Open]) -> frozenset[str]:
        """The parameters that the innermost jit takes as static."""
        for step in reversed(steps):
            site = self._transform(step.callee.only)
            if site is not None and site.info["word"] in COMPILING:
                return self._static_of(site)
        return frozenset()

    def _static_of(self, site: Site) -> frozenset[str]:
        """What the program is compiled for: static arguments, and what is bound already."""
        inner = Inner(self, site.info["inner"])
        names, _ = static_names(self, site, inner)
        if inner.function is None or site.info["word"] not in COMPILING:
            return frozenset(names)
        bound = (p.name for p in inner.function.parameters[: inner.bound] if p.kind == "pos")
        return frozenset((*names, *inner.names, *bound))


def _role_of(site: Site) -> str:
    """`jit`, or `nnx.jit`."""
    word, library = str(site.info["word"]), str(site.info.get("library", ""))
    return f"nnx.{word}" if library.startswith("flax.nnx.") else word


def runs(edges: Iterable[Edge]) -> Mapping[Function, Runs]:
    """How each function is run that is called, or given to a transform."""
    from_: dict[Function, list[Edge]] = {}
    for edge in edges:
        from_.setdefault(edge.caller, []).append(edge)
    out: dict[Function, Runs] = {}
    for edge in (each for group in from_.values() for each in group):
        out.setdefault(edge.callee, Runs()).static |= edge.static
    _spread_roles(from_, out)
    _spread_loops(from_, out)
    for group in from_.values():
        for edge in group:
            caller = out.get(edge.caller)
            out[edge.callee].hosted |= not edge.roles and not (caller and caller.roles)
    return out


def _spread_roles(from_: Mapping[Function, Sequence[Edge]], out: Mapping[Function, Runs]) -> None:
    """What is traced calls what is traced; a comment can say that a function runs on the host."""
    every = (edge for group in from_.values() for edge in group)
    queue = deque(edge for edge in every if edge.roles or edge.callee.declared == "traced")
    via: dict[Function, Edge] = {}
    while queue:
        edge = queue.popleft()
        callee, caller = out[edge.callee], out.get(edge.caller)
        inherited = caller.roles if caller is not None else frozenset[str]()
        inherited = inherited if edge.traced else inherited & _MAPPING
        declared = {"declared"} if edge.callee.declared == "traced" else set[str]()
        roles = callee.roles | set(edge.roles) | inherited | declared
        if roles == callee.roles or edge.callee.declared == "host" or edge.on_host:
            continue
        callee.roles = roles
        via.setdefault(edge.callee, edge)
        queue.extend(from_.get(edge.callee, ()))
    for function in via:
        out[function].traced = tuple(p for edge in _chain(function, via) for p in edge.places)


def _spread_loops(from_: Mapping[Function, Sequence[Edge]], out: Mapping[Function, Runs]) -> None:
    """What a loop calls runs many times, and all that this calls."""
    queue = deque(edge for group in from_.values() for edge in group if edge.looped)
    via: dict[Function, Edge] = {}
    while queue:
        edge = queue.popleft()
        if edge.callee not in via:
            via[edge.callee] = edge
            queue.extend(from_.get(edge.callee, ()))
    for function in via:
        out[function].hot = tuple(edge.call for edge in _chain(function, via))


def _chain(function: Function, via: Mapping[Function, Edge]) -> list[Edge]:
    """The calls that lead to a function, outermost first."""
    edges: list[Edge] = []
    at = function
    while at in via and via[at] not in edges:
        edges.insert(0, via[at])
        at = via[at].caller
    return edges
