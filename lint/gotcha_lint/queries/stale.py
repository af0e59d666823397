"""What a compiled program read once, when it was traced, and what changes it afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Body, Call, Place
from gotcha_lint.analysis.syntax import children, dotted, walk
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.setting_up import is_set_up
from gotcha_lint.queries.places import long_loops


def is_jitted_itself(body: Body) -> bool:
    """Given to jit as it stands, and not by a test: its cache is the one that matters."""
    trace = body.trace
    if (
        trace is None
        or trace.soft
        or not trace.direct
        or not trace.chain
        or is_test(body.model.path)
    ):
        return False
    (path, _), step = trace.chain[-1]
    return step.partition(" of ")[0] in BOUNDARIES and not is_test(path)


def is_jitted(body: Body) -> bool:
    """Given to jit by itself or by what calls it, and not by a test."""
    trace = body.trace
    if trace is None or trace.soft or not trace.chain or is_test(body.model.path):
        return False
    return not BOUNDARIES.isdisjoint(trace.roles) and not is_test(trace.chain[0][0][0])


def names_read(node: cst.CSTNode) -> Iterator[cst.Name]:
    """The names that code reads: no attributes, no keywords of arguments, no parameters' names."""
    stack = [node]
    while stack:
        match current := stack.pop():
            case cst.Name():
                yield current
            case cst.Arg(value=value) | cst.Attribute(value=value):
                stack.append(value)
            case cst.Param(default=default):
                stack.extend([default] if default is not None else [])
            case cst.AssignTarget(target=cst.Name()):
                pass
            case _:
                stack.extend(reversed(list(children(current))))


def changed_after(call: Call, calls: list[Call], changes: Sequence[Place]) -> Place | None:
    """The first change after the function was made, with calls on both sides."""
    for change in changes:
        if change.at.order <= call.at.order or _same_turn(call, change):
            continue
        shared = [
            c for c in calls if _inner(c, call) and set(_inner(c, call)) & set(_inner(change, call))
        ]
        before = [c for c in calls if c.at.order < change.at.order and not _excluded(c, change)]
        after = [c for c in calls if c.at.order > change.at.order and not _excluded(c, change)]
        if shared or (before and after):
            return change
    return None


def _inner(place: Place, creation: Place) -> tuple[int, ...]:
    """The loops around a place that are not around the creation."""
    outer = {id(loop.node) for loop in creation.at.loops}
    return tuple(id(loop.node) for loop in long_loops(place) if id(loop.node) not in outer)


def _same_turn(call: Call, bind: Place) -> bool:
    """Both are made again each turn, the function after the value of the next turn's."""
    return bool(long_loops(call)) and not _inner(bind, call) and bind.at.order < call.at.order


def _excluded(a: Place, b: Place) -> bool:
    """On different branches of the same `if`."""
    tests = {id(guard.test): guard.when for guard in a.at.guards}
    return any(tests.get(id(guard.test), guard.when) != guard.when for guard in b.at.guards)


def changed_globals(body: Body) -> dict[str, cst.CSTNode]:
    """Names of the module that another function of the file assigns again, and where."""
    found = dict[str, cst.CSTNode]()
    module = body.model.module.scope
    for function in body.model.functions[1:]:
        names = function.scope.global_names
        if not names or function is body.function or function.is_generator:
            continue
        if is_set_up(function.name) or compiles_anew(function):
            continue
        at_import = _only_at_import(body, function)
        for name in names & function.scope.bound.keys() | (names & module.bound.keys()):
            if at_import and _asked_for_types(body, name):
                continue
            target = next((t for t in _targets(function) if dotted(t) == name), None)
            if target is not None:
                found.setdefault(name, target)
    return found


def _only_at_import(body: Body, function: Function) -> bool:
    """No function calls it, but modules do, where they define their classes."""
    callers = body.usage.callers.get((body.model.path, function.number), frozenset())
    return bool(callers) and all(number == 0 for _, number in callers)


def _asked_for_types(body: Body, name: str) -> bool:
    """`type(x) in KINDS` is all that is asked: each type of an argument is traced by itself."""
    asked = 0
    for node in walk(body.function.node):
        match node:
            case cst.Comparison(
                left=cst.Call(func=cst.Name(value="type")),
                comparisons=[cst.ComparisonTarget(comparator=cst.Name(value=registry))],
            ):
                asked += registry == name
    read = sum(read.value == name for read in names_read(body.function.node))
    return bool(asked) and asked == read


def _targets(function: Function) -> Iterator[cst.CSTNode]:
    """What a function assigns to, in the order of its lines."""
    for node in walk(function.node):
        if isinstance(node, cst.AssignTarget | cst.AugAssign | cst.AnnAssign):
            yield node.target


# Functions that take care of what they change: they compile again


def compiles_anew(function: Function) -> bool:
    """It jits, or clears what was compiled: it takes care of what it changes."""
    for node in walk(function.node):
        if node.__class__ is cst.Name and (
            "jit" in node.value  # type: ignore[attr-defined]
            or node.value in ("pmap", "clear_caches", "clear_cache")  # type: ignore[attr-defined]
        ):
            return True
    return False
