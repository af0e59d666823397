"""What one file holds: scopes, names, functions, classes. `building` fills it.

A `FileModel` is plain data plus references to nodes, which stay in the process that parsed the
file; what other files need of it is in `summary.Summary`, which holds no nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from itertools import islice
from typing import Any, Literal, TypeVar

import libcst as cst

from gotcha_lint.analysis.syntax import dotted, walk

T = TypeVar("T")
_SITE_BITS = 24  # of a node's number: its place among the sites of its function
_FEW = 32  # sites that are looked through; of more, an index is made when it is asked for
_OTHER = 1 << 60  # the number of a node that is no site: its place in the whole tree


class Imported(str):
    """A binding made by an import: the qualified name it stands for, relative ones with dots."""

    __slots__ = ()


ScopeKind = Literal["module", "class", "function", "comprehension"]


@dataclass(slots=True, eq=False, repr=False)  # a repr would print whole trees
class Scope:
    kind: ScopeKind
    parent: Scope | None
    function: Function
    # How each name is bound: imports as qualified names, functions and classes as such, parameters
    # and everything else as the word for it.
    bound: dict[str, list[Function | Class | str]] = field(default_factory=dict)
    loads: dict[str, cst.CSTNode] = field(default_factory=dict)  # first use of each name
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)

    def bind(self, name: str, how: Function | Class | str) -> None:
        scope = self
        if name in self.global_names:
            while scope.parent is not None:
                scope = scope.parent
        scope.bound.setdefault(name, []).append(how)

    def owner(self, name: str) -> Scope | None:
        """The scope that binds a name as it is read here: this one, or one around it."""
        return self if name in self.bound else self.outer(name)

    def outer(self, name: str) -> Scope | None:
        """The first around it that binds the name; what a class binds is not seen from inside."""
        scope = self.parent
        while scope is not None and (scope.kind == "class" or name not in scope.bound):
            scope = scope.parent
        return scope


@dataclass(frozen=True, slots=True)
class Param:
    name: str
    node: cst.Param
    kind: Literal["positional", "star", "keyword", "kwargs"]
    default: cst.BaseExpression | None
    annotation: cst.BaseExpression | None


@dataclass(slots=True, eq=False, repr=False)  # a repr would print whole trees
class Class:
    number: int
    name: str
    qualname: str
    node: cst.ClassDef
    outer: Scope
    scope: Scope
    methods: dict[str, Function] = field(default_factory=dict)
    fields: dict[str, cst.AnnAssign] = field(default_factory=dict)


@dataclass(slots=True, eq=False, repr=False)  # a repr would print whole trees
class Function:
    """A function, method or lambda; number 0 is the module's own body."""

    number: int
    name: str
    qualname: str
    node: cst.FunctionDef | cst.Lambda | cst.Module
    outer: Scope | None
    cls: Class | None
    params: tuple[Param, ...] = ()
    scope: Scope = field(init=False)
    is_generator: bool = False
    captured: dict[str, cst.CSTNode] = field(default_factory=dict)  # free names, with a use
    shared: set[str] = field(default_factory=set)  # names that functions nested in it capture
    sites: list[cst.CSTNode] = field(default_factory=list)  # its calls and definitions, in order
    places: dict[int, int] | None = None  # of the sites, by their ids, where there are many
    returns: list[cst.Return] = field(default_factory=list)  # its own, in source order
    known: dict[Callable[..., Any], Any] = field(default_factory=dict)  # what `once` keeps

    @property
    def parent(self) -> Function | None:
        return self.outer.function if self.outer else None

    @property
    def is_method(self) -> bool:
        return self.cls is not None and not self.has_decorator("staticmethod")

    @property
    def self_name(self) -> str:
        """What a method calls its object; empty for one without parameters, and for functions."""
        return self.params[0].name if self.is_method and self.params else ""

    def place(self, site: cst.CSTNode) -> int:
        """Which of its sites a node is; -1 for none."""
        if len(self.sites) <= _FEW:
            return next((n for n, other in enumerate(self.sites) if other is site), -1)
        if self.places is None:
            self.places = {id(other): n for n, other in enumerate(self.sites)}
        return self.places.get(id(site), -1)

    def has_parameter(self, name: str) -> bool:
        return any(param.name == name for param in self.params)

    def has_decorator(self, *names: str) -> bool:
        if not isinstance(self.node, cst.FunctionDef):
            return False
        return any((dotted(d.decorator) or "") in names for d in self.node.decorators)


def once(compute: Callable[[Function], T]) -> Callable[[Function], T]:
    """Computed once for each function, and kept as long as the function is."""

    @wraps(compute)
    def kept(function: Function) -> T:
        if compute not in function.known:
            function.known[compute] = compute(function)
        return function.known[compute]

    return kept


@dataclass(slots=True, eq=False, repr=False)  # a repr would print whole trees
class FileModel:
    path: str
    tree: cst.Module
    functions: list[Function]
    classes: list[Class]
    by_node: dict[int, Function | Class]
    imports: set[str]  # every qualified name that the file imports, relative ones with dots
    stars: list[str]  # modules imported with *
    numbers: dict[int, int] = field(default_factory=dict)  # of nodes, by their id
    decorator_calls: dict[int, cst.Call] = field(default_factory=dict)  # by the decorator's id
    stand_ins: dict[int, cst.Decorator] = field(default_factory=dict)  # by the made-up call's id
    waits: bool = False  # the file may wait for the end of a save by Orbax
    explicit: bool = False  # it names explicit axes of meshes

    def call_of(self, decorator: cst.Decorator) -> cst.Call:
        """The call of a decorator with its function, which no node stands for."""
        call = self.decorator_calls.get(id(decorator))
        if call is None:
            call = self.decorator_calls[id(decorator)] = cst.Call(decorator.decorator)
            self.stand_ins[id(call)] = decorator
        return call

    def number(self, node: cst.CSTNode, function: Function | None = None) -> int:
        """A number for a node, so that plain data can point at it.

        A site of the function has that of the function and its place in it: the same whatever is
        analysed, in whichever order, and whatever changes in the file's other functions. So what
        an earlier run learnt may speak of it.
        """
        found = self.numbers.get(id(node))
        if found is None:
            meant = self.stand_ins.get(id(node), node)
            place = function.place(meant) if function is not None else -1
            if function is not None and place >= 0:
                found = function.number << _SITE_BITS | place
            else:  # an attribute, say: few are asked for
                place = next(n for n, other in enumerate(walk(self.tree)) if other is meant)
                found = _OTHER | place
            self.numbers[id(node)] = found
        return found

    def node(self, number: int) -> cst.CSTNode:
        """The node that has a number; of a decorator, its call."""
        if number & _OTHER:
            node = next(islice(walk(self.tree), number ^ _OTHER, None))
        else:
            node = self.functions[number >> _SITE_BITS].sites[number & (1 << _SITE_BITS) - 1]
        return self.call_of(node) if isinstance(node, cst.Decorator) else node

    @property
    def module(self) -> Function:
        return self.functions[0]


# The values that a function gives back, as they are written there


def returned(function: Function) -> list[cst.BaseExpression]:
    """The values of all its `return`s; none where it may give something else too."""
    node = function.node
    if isinstance(node, cst.Lambda):
        return [node.body]
    if not isinstance(node, cst.FunctionDef) or function.is_generator or node.asynchronous:
        return []
    values = [part.value for part in function.returns if part.value is not None]
    return values if len(values) == len(function.returns) else []
