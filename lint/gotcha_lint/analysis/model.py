"""One pass over a LibCST tree: scopes, names, functions, classes. No visitor, no metadata.

A `FileModel` is plain data plus references to nodes, which stay in the process that parsed the
file; what other files need of it is in `summary.Summary`, which holds no nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, Literal

import libcst as cst

from gotcha_lint.analysis.syntax import (
    COMPREHENSIONS,
    NOT_NODES,
    child_fields,
    dotted,
    target_names,
)
from gotcha_lint.facts.removed import LAST_WORDS


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

    @property
    def parent(self) -> Function | None:
        return self.outer.function if self.outer else None

    @property
    def is_method(self) -> bool:
        return self.cls is not None and not self.has_decorator("staticmethod")

    def has_decorator(self, *names: str) -> bool:
        if not isinstance(self.node, cst.FunctionDef):
            return False
        return any((dotted(d.decorator) or "") in names for d in self.node.decorators)


@dataclass(slots=True, eq=False, repr=False)  # a repr would print whole trees
class FileModel:
    path: str
    tree: cst.Module
    functions: list[Function]
    classes: list[Class]
    by_node: dict[int, Function | Class]
    imports: set[str]  # every qualified name that the file imports, relative ones with dots
    stars: list[str]  # modules imported with *
    nodes: list[cst.CSTNode] = field(default_factory=list)  # those that have a number
    numbers: dict[int, int] = field(default_factory=dict)
    decorator_calls: dict[int, cst.Call] = field(default_factory=dict)  # by the decorator's id
    stand_ins: dict[int, cst.Decorator] = field(default_factory=dict)  # by the made-up call's id
    # Imports, and attributes whose last word is that of a removed name, with their scopes.
    watched: list[tuple[cst.Import | cst.ImportFrom | cst.Attribute, Scope]] = field(
        default_factory=list
    )

    def call_of(self, decorator: cst.Decorator) -> cst.Call:
        """The call of a decorator with its function, which no node stands for."""
        call = self.decorator_calls.get(id(decorator))
        if call is None:
            call = self.decorator_calls[id(decorator)] = cst.Call(decorator.decorator)
            self.stand_ins[id(call)] = decorator
        return call

    def number(self, node: cst.CSTNode) -> int:
        """A number for a node, so that plain data can point at it."""
        found = self.numbers.get(id(node))
        if found is None:
            found = self.numbers[id(node)] = len(self.nodes)
            self.nodes.append(node)
        return found

    @property
    def module(self) -> Function:
        return self.functions[0]


def build(path: str, tree: cst.Module) -> FileModel:
    """The model of one parsed file."""
    return _Builder(path, tree).build()


class _Builder:
    def __init__(self, path: str, tree: cst.Module) -> None:
        root = Function(0, "<module>", "", tree, None, None)
        root.scope = Scope("module", None, root)
        self.model = FileModel(path, tree, [root], [], {}, set(), [])
        self.scopes: list[Scope] = [root.scope]
        self.stack: list[tuple[cst.CSTNode, Scope]] = []

    def build(self) -> FileModel:
        root = self.model.module.scope
        self.stack = [(node, root) for node in reversed(self.model.tree.body)]
        handlers, push, pop = _HANDLERS, self.stack.append, self.stack.pop
        while self.stack:
            node, scope = pop()
            kind = node.__class__
            if kind is cst.Name:
                scope.loads.setdefault(node.value, node)  # type: ignore[attr-defined]
                continue
            if kind in _LEAVES:
                continue
            if kind is cst.Attribute:
                if node.attr.value in LAST_WORDS:  # type: ignore[attr-defined]
                    self.model.watched.append((node, scope))  # type: ignore[arg-type]
                push((node.value, scope))  # type: ignore[attr-defined]
                continue
            handler = handlers.get(kind)
            if handler is not None:
                handler(self, node, scope)
            else:
                self.descend(node, scope)
        self._find_captures()
        return self.model

    def descend(self, node: cst.CSTNode, scope: Scope, skip: str = "") -> None:
        """Puts the children of a node on the stack, so that the first is visited first."""
        stack = self.stack
        for name in reversed(child_fields(node.__class__)):
            if name == skip:
                continue
            value = getattr(node, name)
            kind = value.__class__
            if kind is tuple or kind is list:
                stack.extend(zip(reversed(value), repeat(scope)))
            elif kind not in NOT_NODES:
                stack.append((value, scope))

    def push(self, node: cst.CSTNode | None, scope: Scope) -> None:
        if node is not None:
            self.stack.append((node, scope))

    def on_call(self, node: cst.Call, scope: Scope) -> None:
        self.stack.extend(zip(reversed(node.args), repeat(scope)))
        self.stack.append((node.func, scope))

    def on_arg(self, node: cst.Arg, scope: Scope) -> None:
        self.stack.append((node.value, scope))

    def on_import(self, node: cst.Import, scope: Scope) -> None:
        self.model.watched.append((node, scope))
        for alias in node.names:
            name = dotted(alias.name) or ""
            self.model.imports.add(name)
            if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
                scope.bind(alias.asname.name.value, Imported(name))
            else:
                scope.bind(name.partition(".")[0], Imported(name.partition(".")[0]))

    def on_import_from(self, node: cst.ImportFrom, scope: Scope) -> None:
        self.model.watched.append((node, scope))
        base = "." * len(node.relative) + (dotted(node.module) or "")
        if isinstance(node.names, cst.ImportStar):
            self.model.imports.add(base)
            self.model.stars.append(base)
            return
        for alias in node.names:
            name = alias.name.value if isinstance(alias.name, cst.Name) else ""
            qualified = f"{base}{name}" if base.endswith(".") else f"{base}.{name}"
            bound = alias.asname.name if alias.asname else alias.name
            self.model.imports.add(qualified)
            if isinstance(bound, cst.Name):
                scope.bind(bound.value, Imported(qualified))

    def on_function(self, node: cst.FunctionDef | cst.Lambda, scope: Scope) -> None:
        named = isinstance(node, cst.FunctionDef)
        name = node.name.value if named else "<lambda>"
        cls = self._class_of(scope) if named else None
        outer = cls.qualname if cls else scope.function.qualname
        parts = [outer, name] if cls or not outer else [outer, "<locals>", name]
        function = Function(
            len(self.model.functions), name, ".".join(p for p in parts if p), node, scope, cls
        )
        function.params = tuple(_params(node.params))
        function.scope = Scope("function", scope, function)
        self.scopes.append(function.scope)
        self.model.functions.append(function)
        self.model.by_node[id(node)] = function
        if isinstance(node, cst.FunctionDef):
            scope.bind(name, function)
            if cls is not None:
                cls.methods[name] = function
        for param in function.params:
            function.scope.bind(param.name, "param")
        self.push(node.body, function.scope)
        for param in function.params:
            self.push(param.default, scope)
            self.push(param.annotation, scope)
        if isinstance(node, cst.FunctionDef):
            self.push(node.returns and node.returns.annotation, scope)
            for decorator in node.decorators:
                self.push(decorator.decorator, scope)

    def on_class(self, node: cst.ClassDef, scope: Scope) -> None:
        outer = self._class_of(scope)
        prefix = outer.qualname if outer else scope.function.qualname
        qualname = f"{prefix}.{node.name.value}" if prefix else node.name.value
        inner = Scope("class", scope, scope.function)
        self.scopes.append(inner)
        cls = Class(len(self.model.classes), node.name.value, qualname, node, scope, inner)
        self.model.classes.append(cls)
        self.model.by_node[id(node)] = cls
        self.model.by_node[id(inner)] = cls
        scope.bind(node.name.value, cls)
        for statement in node.body.body:
            for small in (
                getattr(statement, "body", ())
                if not isinstance(statement, cst.BaseCompoundStatement)
                else ()
            ):
                if isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
                    cls.fields[small.target.value] = small
        self.push(node.body, inner)
        for arg in (*node.keywords, *node.bases):
            self.push(arg.value, scope)
        for decorator in node.decorators:
            self.push(decorator.decorator, scope)

    def on_comprehension(self, node: Any, scope: Scope) -> None:
        inner = Scope("comprehension", scope, scope.function)
        self.scopes.append(inner)
        for name in ("elt", "key", "value"):
            self.push(getattr(node, name, None), inner)
        clause: cst.CompFor | None = node.for_in
        first = True
        while clause is not None:
            self._bind_target(clause.target, inner)
            self.push(clause.iter, scope if first else inner)
            for condition in clause.ifs:
                self.push(condition.test, inner)
            clause, first = clause.inner_for_in, False

    def on_target(self, node: cst.CSTNode, scope: Scope) -> None:
        self._bind_target(node.target, scope)  # type: ignore[attr-defined]
        self.descend(node, scope, skip="target")

    def on_named_expression(self, node: cst.NamedExpr, scope: Scope) -> None:
        outer = scope
        while outer.kind == "comprehension" and outer.parent is not None:
            outer = outer.parent
        self._bind_target(node.target, outer)
        self.push(node.value, scope)

    def on_augmented(self, node: cst.AugAssign, scope: Scope) -> None:
        self.on_target(node, scope)
        if isinstance(node.target, cst.Name):
            scope.loads.setdefault(node.target.value, node.target)

    def on_as_name(self, node: cst.AsName, scope: Scope) -> None:
        self._bind_target(node.name, scope)

    def on_pattern_name(self, node: cst.CSTNode, scope: Scope) -> None:
        for part in (getattr(node, "name", None), getattr(node, "rest", None)):
            if isinstance(part, cst.Name):
                scope.bind(part.value, "assigned")
        for name in ("pattern", "elements"):
            part = getattr(node, name, None)
            for item in part if isinstance(part, list | tuple) else [part]:
                self.push(item, scope)

    def on_global(self, node: cst.Global | cst.Nonlocal, scope: Scope) -> None:
        names = {item.name.value for item in node.names}
        (scope.global_names if isinstance(node, cst.Global) else scope.nonlocal_names).update(names)

    def on_yield(self, node: cst.CSTNode, scope: Scope) -> None:
        scope.function.is_generator = True
        self.descend(node, scope)

    def on_from(self, node: cst.From, scope: Scope) -> None:
        self.push(node.item, scope)

    def _bind_target(self, target: cst.CSTNode, scope: Scope) -> None:
        if target.__class__ is cst.Name:
            scope.bind(target.value, "assigned")  # type: ignore[attr-defined]
            return
        for name in target_names(target):
            scope.bind(name.value, "assigned")
        stack = [target]
        while stack:  # what is not a plain name reads its base: `a.b = 1`, `a[i] = 1`
            node = stack.pop()
            if isinstance(node, cst.Tuple | cst.List):
                stack.extend(e.value for e in node.elements)
            elif not isinstance(node, cst.Name):
                self.push(node, scope)

    def _class_of(self, scope: Scope) -> Class | None:
        owner = self.model.by_node.get(id(scope)) if scope.kind == "class" else None
        return owner if isinstance(owner, Class) else None

    def _find_captures(self) -> None:
        """Fills `captured`: the names that a function takes from those around it, or globals."""
        for scope in self.scopes:
            for name, node in scope.loads.items():
                _capture(scope, name, node)
        for function in self.model.functions:
            outer = function.parent
            while outer is not None:
                outer.shared.update(function.captured)
                outer = outer.parent


def _capture(scope: Scope, name: str, node: cst.CSTNode) -> None:
    current: Scope | None = scope
    while current is not None and current.kind != "module":
        own = name in current.bound and name not in current.nonlocal_names
        if (
            own
            and name not in current.global_names
            and (current is scope or current.kind != "class")
        ):
            return
        if current.kind == "function":
            current.function.captured.setdefault(name, node)
        current = current.parent


def _params(node: cst.Parameters) -> list[Param]:
    found: list[Param] = []

    def add(param: cst.Param, kind: Literal["positional", "star", "keyword", "kwargs"]) -> None:
        annotation = param.annotation.annotation if param.annotation else None
        found.append(Param(param.name.value, param, kind, param.default, annotation))

    for param in (*node.posonly_params, *node.params):
        add(param, "positional")
    if isinstance(node.star_arg, cst.Param):
        add(node.star_arg, "star")
    for param in node.kwonly_params:
        add(param, "keyword")
    if node.star_kwarg is not None:
        add(node.star_kwarg, "kwargs")
    return found


_LEAVES = frozenset({cst.SimpleString, cst.Integer, cst.Float})
_HANDLERS = {
    cst.Call: _Builder.on_call,
    cst.Arg: _Builder.on_arg,
    cst.Import: _Builder.on_import,
    cst.ImportFrom: _Builder.on_import_from,
    cst.FunctionDef: _Builder.on_function,
    cst.Lambda: _Builder.on_function,
    cst.ClassDef: _Builder.on_class,
    cst.AssignTarget: _Builder.on_target,
    cst.AnnAssign: _Builder.on_target,
    cst.For: _Builder.on_target,
    cst.AugAssign: _Builder.on_augmented,
    cst.NamedExpr: _Builder.on_named_expression,
    cst.AsName: _Builder.on_as_name,
    cst.MatchAs: _Builder.on_pattern_name,
    cst.MatchStar: _Builder.on_pattern_name,
    cst.MatchMapping: _Builder.on_pattern_name,
    cst.Global: _Builder.on_global,
    cst.Nonlocal: _Builder.on_global,
    cst.Yield: _Builder.on_yield,
    cst.From: _Builder.on_from,
} | dict.fromkeys(COMPREHENSIONS, _Builder.on_comprehension)
