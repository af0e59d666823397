"""Which variable a name means (floor `program`).

`bindings` collects the names that a body binds, `Scope` finds the owner of a name that is used.
"""

from __future__ import annotations

import ast
import bisect
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from gotcha_lint.program.ir import Function, Slot

Lines = Sequence[int]  # those with `:=`, in order


class Bindings(NamedTuple):
    locals: set[str]
    globals: set[str]
    nonlocals: set[str]


class Scope:
    """A function, class or module that is being lowered, or a comprehension in one of these.

    `renamed` holds the variables of a comprehension, by their names in the text.
    """

    __slots__ = ("function", "is_comprehension", "known", "parent", "renamed")

    def __init__(self, function: Function, parent: Scope | None, comprehension: bool = False):
        self.function = function
        self.parent = parent
        self.is_comprehension = comprehension
        self.renamed: dict[str, str] = {}
        self.known: dict[str, Slot] = {}
        if not comprehension:
            self.known = {name: (name, 0) for name in function.locals}

    def resolve(self, name: str) -> Slot:
        """The slot of a name. Notes it as captured where an inner function uses it."""
        slot = self.known.get(name)
        if slot is None:
            slot = self.known[name] = self._find(name)
        return slot

    def _find(self, name: str) -> Slot:
        scope: Scope | None = self
        hops = 0
        while scope is not None:
            function = scope.function
            if scope.is_comprehension:
                renamed = scope.renamed.get(name)
                if renamed is not None:
                    if function.is_module:
                        return renamed, -1
                    return _owned(function, renamed, hops)
                scope = scope.parent
                continue
            if function.is_module:
                break
            # What is inside a class, a comprehension too, does not see the names of its body
            if scope is self or not function.is_class:
                if name in function.globals:
                    return name, -1
                if name in function.locals:
                    return _owned(function, name, hops)
            scope = scope.parent
            hops += 1
        return name, -1


def _owned(function: Function, name: str, hops: int) -> Slot:
    if hops:
        function.captured.add(name)
    return name, hops


def bindings(body: Sequence[ast.stmt], parameters: Iterable[str], walrus: Lines) -> Bindings:
    """The names that the statements of one body bind, without those of inner functions.

    `walrus`: the lines on which expressions may bind too.
    """
    out = Bindings(set(parameters), set(), set())
    _statements(body, out, walrus)
    out.locals.difference_update(out.globals, out.nonlocals)
    return out


def _statements(body: Sequence[ast.stmt], out: Bindings, walrus: Lines) -> None:
    if walrus and body and not _within(body[0].lineno, body[-1].end_lineno or 0, walrus):
        walrus = ()
    find = _BINDERS.get
    for node in body:
        if walrus:
            out.locals.update(walrus_targets(node, walrus))
        bind = find(node.__class__)
        if bind is not None:
            bind(node, out, walrus)


def _within(first: int, last: int, lines: Lines) -> bool:
    """Whether one of `lines`, which are in order, is between two others."""
    index = bisect.bisect_left(lines, first)
    return index < len(lines) and lines[index] <= last


def _assign(node: ast.Assign, out: Bindings, walrus: Lines) -> None:
    for target in node.targets:
        _target(target, out)


def _one_target(node: ast.AnnAssign | ast.AugAssign, out: Bindings, walrus: Lines) -> None:
    _target(node.target, out)


def _target(node: ast.expr, out: Bindings) -> None:
    kind = node.__class__
    if kind is ast.Name:
        out.locals.add(node.id)  # pyright: ignore[reportAttributeAccessIssue]
    elif kind is ast.Tuple or kind is ast.List:
        for element in node.elts:  # pyright: ignore[reportAttributeAccessIssue]
            _target(element, out)
    elif kind is ast.Starred:
        _target(node.value, out)  # pyright: ignore[reportAttributeAccessIssue]


def target_names(node: ast.expr) -> set[str]:
    """The variables that an assignment to `node` binds."""
    out = Bindings(set(), set(), set())
    _target(node, out)
    return out.locals


def _named(node: Any, out: Bindings, walrus: Lines) -> None:
    out.locals.add(node.name)


def _type_alias(node: Any, out: Bindings, walrus: Lines) -> None:
    out.locals.add(node.name.id)


def _delete(node: ast.Delete, out: Bindings, walrus: Lines) -> None:
    for target in node.targets:
        _target(target, out)


def _import(node: ast.Import | ast.ImportFrom, out: Bindings, walrus: Lines) -> None:
    for alias in node.names:
        if alias.name != "*":
            out.locals.add(alias.asname or alias.name.partition(".")[0])


def _global(node: ast.Global, out: Bindings, walrus: Lines) -> None:
    out.globals.update(node.names)


def _nonlocal(node: ast.Nonlocal, out: Bindings, walrus: Lines) -> None:
    out.nonlocals.update(node.names)


def _branches(node: ast.If | ast.While, out: Bindings, walrus: Lines) -> None:
    _statements(node.body, out, walrus)
    _statements(node.orelse, out, walrus)


def _for(node: ast.For | ast.AsyncFor, out: Bindings, walrus: Lines) -> None:
    _target(node.target, out)
    _statements(node.body, out, walrus)
    _statements(node.orelse, out, walrus)


def _with(node: ast.With | ast.AsyncWith, out: Bindings, walrus: Lines) -> None:
    for item in node.items:
        if item.optional_vars is not None:
            _target(item.optional_vars, out)
    _statements(node.body, out, walrus)


def _try(node: ast.Try | ast.TryStar, out: Bindings, walrus: Lines) -> None:
    _statements(node.body, out, walrus)
    for handler in node.handlers:
        if handler.name:
            out.locals.add(handler.name)
        if handler.type is not None:
            out.locals.update(walrus_targets(handler.type, walrus))
        _statements(handler.body, out, walrus)
    _statements(node.orelse, out, walrus)
    _statements(node.finalbody, out, walrus)


def _match(node: ast.Match, out: Bindings, walrus: Lines) -> None:
    for case in node.cases:
        out.locals.update(pattern_names(case.pattern))
        if case.guard is not None:
            out.locals.update(walrus_targets(case.guard, walrus))
        _statements(case.body, out, walrus)


def pattern_names(pattern: ast.pattern) -> set[str]:
    """The variables that a pattern of `match` binds."""
    out: set[str] = set()
    _add_pattern_names(pattern, out)
    return out


def _add_pattern_names(pattern: ast.pattern, out: set[str]) -> None:
    if isinstance(pattern, ast.MatchAs):
        if pattern.name:
            out.add(pattern.name)
        if pattern.pattern is not None:
            _add_pattern_names(pattern.pattern, out)
    elif isinstance(pattern, ast.MatchStar):
        if pattern.name:
            out.add(pattern.name)
    elif isinstance(pattern, ast.MatchClass):
        for inner in (*pattern.patterns, *pattern.kwd_patterns):
            _add_pattern_names(inner, out)
    elif isinstance(pattern, ast.MatchSequence | ast.MatchOr | ast.MatchMapping):
        for inner in pattern.patterns:
            _add_pattern_names(inner, out)
        if isinstance(pattern, ast.MatchMapping) and pattern.rest:
            out.add(pattern.rest)


def walrus_targets(node: ast.stmt | ast.expr, walrus: Lines) -> Iterator[str]:
    """The targets of `:=` in the expressions of a statement, which bind in its function.

    Those in comprehensions count, those in lambdas and inner bodies do not.
    """
    if not _within(node.lineno, node.end_lineno or 0, walrus):
        return
    stack: list[ast.AST] = list(_own_expressions(node))
    while stack:
        here = stack.pop()
        if isinstance(here, ast.NamedExpr):
            yield here.target.id
        elif isinstance(here, ast.Lambda):
            stack.extend(_defaults(here.args))
            continue
        stack.extend(ast.iter_child_nodes(here))


def _own_expressions(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions of a statement, without the statements in it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from node.decorator_list
        yield from _defaults(node.args)
        return
    if isinstance(node, ast.expr):
        yield node
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.withitem | ast.keyword):
            yield from ast.iter_child_nodes(child)
        elif isinstance(child, ast.expr):
            yield child


def _defaults(arguments: ast.arguments) -> Iterator[ast.expr]:
    yield from arguments.defaults
    yield from (default for default in arguments.kw_defaults if default is not None)


_BINDERS: dict[type, Any] = {
    ast.Assign: _assign,
    ast.AnnAssign: _one_target,
    ast.AugAssign: _one_target,
    ast.FunctionDef: _named,
    ast.AsyncFunctionDef: _named,
    ast.ClassDef: _named,
    ast.Delete: _delete,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.If: _branches,
    ast.While: _branches,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
}
if hasattr(ast, "TypeAlias"):  # Python 3.12
    _BINDERS[getattr(ast, "TypeAlias")] = _type_alias  # noqa: B009
