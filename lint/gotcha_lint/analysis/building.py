"""One pass over a LibCST tree makes the model of a file. No visitor, no metadata: a stack of nodes.

`bindings` and `scopes` know what each kind of node means; all others only hold more nodes.
"""

from __future__ import annotations

from itertools import repeat

import libcst as cst

from gotcha_lint.analysis.model import FileModel, Function, Scope
from gotcha_lint.analysis.scopes import (
    on_as_name,
    on_augmented,
    on_class,
    on_comprehension,
    on_function,
    on_global,
    on_import,
    on_import_from,
    on_named_expression,
    on_pattern_name,
    on_target,
)
from gotcha_lint.analysis.syntax import COMPREHENSIONS, NOT_NODES, child_fields, last_word
from gotcha_lint.facts.optax import SAVES_LATER, WAITS
from gotcha_lint.facts.sharding import EXPLICIT


def build(path: str, tree: cst.Module) -> FileModel:
    """The model of one parsed file."""
    return Builder(path, tree).build()


class Builder:
    """The nodes still to be visited, each with its scope, and the model as far as it is known."""

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
                word = node.attr.value  # type: ignore[attr-defined]
                if word in EXPLICIT:
                    self.model.explicit = True
                elif word in WAITS:
                    self.model.waits = True
                push((node.value, scope))  # type: ignore[attr-defined]
                continue
            handler = handlers.get(kind)
            if handler is not None:
                handler(self, node, scope)
            else:
                self.descend(node, scope)
        _find_captures(self.model, self.scopes)
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


def on_call(builder: Builder, node: cst.Call, scope: Scope) -> None:
    scope.function.sites.append(node)
    builder.stack.extend(zip(reversed(node.args), repeat(scope)))
    builder.stack.append((node.func, scope))


def on_arg(builder: Builder, node: cst.Arg, scope: Scope) -> None:
    builder.stack.append((node.value, scope))


def on_yield(builder: Builder, node: cst.CSTNode, scope: Scope) -> None:
    scope.function.is_generator = True
    builder.descend(node, scope)


def on_return(builder: Builder, node: cst.Return, scope: Scope) -> None:
    scope.function.returns.append(node)
    builder.push(node.value, scope)


def on_with(builder: Builder, node: cst.With, scope: Scope) -> None:
    """`with checkpointer:` waits; `with open(path) as file:` has nothing to do with it."""
    for item in node.items:
        func = item.item.func if isinstance(item.item, cst.Call) else item.item
        last = last_word(func)
        if not isinstance(item.item, cst.Call) or last.endswith(_SAVERS):
            builder.model.waits = True
    builder.descend(node, scope)


def on_from(builder: Builder, node: cst.From, scope: Scope) -> None:
    builder.push(node.item, scope)


def _find_captures(model: FileModel, scopes: list[Scope]) -> None:
    """Fills `captured`: the names that a function takes from those around it, or globals."""
    for scope in scopes:
        for name, node in scope.loads.items():
            _capture(scope, name, node)
    for function in model.functions:
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


_SAVERS = tuple(name.rpartition(".")[2] for name in SAVES_LATER)
_LEAVES = frozenset({cst.SimpleString, cst.Integer, cst.Float})
_HANDLERS = {
    cst.Call: on_call,
    cst.Return: on_return,
    cst.Arg: on_arg,
    cst.Import: on_import,
    cst.ImportFrom: on_import_from,
    cst.FunctionDef: on_function,
    cst.Lambda: on_function,
    cst.ClassDef: on_class,
    cst.AssignTarget: on_target,
    cst.AnnAssign: on_target,
    cst.For: on_target,
    cst.AugAssign: on_augmented,
    cst.NamedExpr: on_named_expression,
    cst.AsName: on_as_name,
    cst.MatchAs: on_pattern_name,
    cst.MatchStar: on_pattern_name,
    cst.MatchMapping: on_pattern_name,
    cst.Global: on_global,
    cst.Nonlocal: on_global,
    cst.Yield: on_yield,
    cst.From: on_from,
    cst.With: on_with,
} | dict.fromkeys(COMPREHENSIONS, on_comprehension)
