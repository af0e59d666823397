"""What the flow analysis shows to the rules: places of a function, with the values found there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import libcst as cst

from gotcha_lint.analysis.model import FileModel, Function
from gotcha_lint.analysis.standing import At, Loop
from gotcha_lint.analysis.usage import UNTOLD, Steps, Usage
from gotcha_lint.analysis.values import FunctionId, Site, Value
from gotcha_lint.facts import Fact

if TYPE_CHECKING:
    from gotcha_lint.analysis.project import Project

Flag = bool | None  # None: not known
Told = Mapping[str, frozenset[Flag]]


class Trace(NamedTuple):
    """That a function is traced, and why."""

    roles: frozenset[str]  # of all transforms around it: jit, grad, scan, ...
    staged: bool  # under a transform for which everything is a tracer
    chain: tuple[tuple[Site, str], ...]  # the places that lead to it, outermost first
    soft: bool = False  # by convention only: a module's __call__, a function handed to a stranger
    direct: bool = False  # given to a transform itself; else called from a traced function
    static: frozenset[str] = frozenset()  # its parameters that are static
    wrt: frozenset[str] | None = None  # parameters that are traced, where not all are
    known: bool = True  # False: static arguments given by an expression that could not be read
    filtered: bool = False  # what is an array is traced, whatever else is not known
    past: frozenset[FunctionId] = frozenset()  # the functions on the way: none twice


@dataclass(slots=True, eq=False, repr=False)
class Place:
    """Base of all sites."""

    node: cst.CSTNode
    at: At
    body: Body


@dataclass(slots=True, eq=False, repr=False)
class Call(Place):
    node: cst.Call  # pyright: ignore[reportIncompatibleVariableOverride] - never assigned again
    name: str  # canonical name: "jax.jit", "array.sum", "list.append", "?.item", "" if unknown
    callee: Value
    args: tuple[Value, ...]
    kwargs: Mapping[str, Value]
    result: Value
    base: Value | None = None  # of a method call: its object
    starred: bool = False  # also given *args or **kwargs
    decorator: bool = False  # `@f` over a function; the node is made up, and stands at the `@f`

    def arg(self, position: int, *names: str) -> Value | None:
        """The value of an argument given by position or under one of its names."""
        for name in names:
            if name in self.kwargs:
                return self.kwargs[name]
        return self.args[position] if 0 <= position < len(self.args) else None

    def arg_node(self, position: int, *names: str) -> cst.BaseExpression | None:
        for arg in self.node.args:
            if arg.keyword is not None and arg.keyword.value in names:
                return arg.value
        plain = [arg.value for arg in self.node.args if arg.keyword is None and not arg.star]
        return plain[position] if 0 <= position < len(plain) else None


@dataclass(slots=True, eq=False, repr=False)
class Test(Place):
    """A value asked for its truth: if, while, assert, not, and, or, if-else, chained comparison."""

    value: Value
    what: str


@dataclass(slots=True, eq=False, repr=False)
class Store(Place):
    """An assignment to a subscript or an attribute; the node is the target."""

    base: Value
    value: Value
    augmented: bool


@dataclass(slots=True, eq=False, repr=False)
class Bind(Place):
    """An assignment to a name; the node is the target, `old` the value it had."""

    name: str
    value: Value
    old: Value | None
    source: cst.CSTNode | None  # the right side


@dataclass(slots=True, eq=False, repr=False)
class Discard(Place):
    """An expression statement, whose value is thrown away."""

    value: Value


@dataclass(slots=True, eq=False, repr=False)
class Iterate(Place):
    """A `for`, or a comprehension's, over a value; the node is the iterated expression."""

    value: Value
    loop: Loop


@dataclass(slots=True, eq=False, repr=False)
class Index(Place):
    node: cst.Subscript  # pyright: ignore[reportIncompatibleVariableOverride]
    base: Value
    index: Value


@dataclass(slots=True, eq=False, repr=False)
class Operate(Place):
    """A binary operation or a comparison."""

    left: Value
    right: Value
    result: Value


@dataclass(slots=True, eq=False, repr=False)
class Format(Place):
    """A value inside an f-string; `spec` tells whether it has a format specification."""

    value: Value
    spec: bool


@dataclass(slots=True, eq=False, repr=False)
class Return(Place):
    value: Value


@dataclass(slots=True, eq=False, repr=False)
class Match(Place):
    """A `match` statement over a value."""

    node: cst.Match  # pyright: ignore[reportIncompatibleVariableOverride]
    value: Value


@dataclass(slots=True, eq=False, repr=False)
class Define(Place):
    """A nested function or lambda comes to be; `captures` are the values it takes along."""

    function: Function
    captures: Mapping[str, Value]


@dataclass(slots=True, eq=False, repr=False)
class Body:
    """One function after its analysis: its sites in order, and what is known of it as a whole."""

    model: FileModel
    function: Function
    trace: Trace | None
    sites: list[Place] = field(default_factory=list)
    calls: dict[int, Call] = field(default_factory=dict)  # by id of the node
    project: Project | None = None
    given: frozenset[str] = frozenset()  # parameters with a default that a transform's call fills
    names: dict[str, Value] = field(default_factory=dict)  # all that each name holds
    said: Told = field(default_factory=dict)  # what traced calls say of each of its flags
    aside: Body | None = None  # what no traced call reaches, where a flag decides it
    usage: Usage = UNTOLD  # what is known of all functions, when all are analysed
    _by_kind: dict[type[Place], list[Place]] = field(default_factory=dict)

    @property
    def id(self) -> FunctionId:
        return self.model.path, self.function.number

    @property
    def hosted(self) -> bool:
        """Also called from code that is not traced."""
        return self.id in self.usage.hosted

    @property
    def hot(self) -> Steps:
        """The loops that call it, if it runs many times."""
        return self.usage.hot.get(self.id, ())

    @property
    def rerun(self) -> Steps:
        """The loops that run what it is compiled into."""
        return self.usage.rerun.get(self.id, ())

    @property
    def eager(self) -> bool:
        """Runs as plain Python, as far as is known."""
        return self.trace is None

    @property
    def only_traced(self) -> bool:
        """Certainly traced, and never seen called from elsewhere."""
        return self.trace is not None and not self.trace.soft and not self.hosted

    def of(self, kind: type[P]) -> Iterator[P]:
        """The sites of one kind, in order."""
        if not self._by_kind:
            for site in self.sites:
                self._by_kind.setdefault(site.__class__, []).append(site)
        return iter(self._by_kind.get(kind, ()))  # type: ignore[arg-type]

    def plain_calls(self) -> Iterator[Call]:
        """The calls that are written as such, not those that decorators make."""
        return (call for call in self.of(Call) if not call.decorator)

    def forget(self) -> None:
        """Lets go of all sites: they know their body, and nobody collects cycles in a run."""
        for part in (self, self.aside):
            if part is not None:
                part.sites.clear()
                part.calls.clear()
                part._by_kind.clear()

    def call_of(self, node: cst.CSTNode | None) -> Call | None:
        return self.calls.get(id(node))

    def fact(self, call: Call) -> Fact:
        """What the facts table knows of the function that is called."""
        return self.project.facts.get(call.name) if self.project and call.name else Fact()


P = TypeVar("P", bound=Place)
