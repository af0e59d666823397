"""Arrays whose elements the host looks at one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.changing import changing_names
from gotcha_lint.analysis.sites import Bind, Body, Call, Format, Index, Iterate, Loop, Place, Test
from gotcha_lint.analysis.syntax import dotted, last_word, names_in, source_of, target_names, walk
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.concrete import CAST_METHODS, CASTS
from gotcha_lint.queries.places import long_loops

_METHODS = frozenset(name.rpartition(".")[2] for name in CAST_METHODS)
_MAKERS = frozenset({"array", "asarray"})
_FEW = 16  # elements: a tenth of a millisecond for each
_IN_STEP = frozenset({"builtins.zip", "builtins.enumerate", "builtins.reversed"})


class Element(NamedTuple):
    """An element that is read: of which array, and in which loop."""

    array: cst.BaseExpression
    read: cst.CSTNode
    loop: Loop


def elements_read(body: Body) -> Iterator[Element]:
    """The first of each array."""
    seen: set[str] = set()
    for found in _all(body):
        name = source_of(found.array)
        if name not in seen:
            seen.add(name)
            yield found


def _all(body: Body) -> Iterator[Element]:
    for site in body.sites:
        if isinstance(site, Iterate) and not site.loop.short:
            yield from _iterated(body, site)
        elif isinstance(site, Index):
            found = _indexed(body, site)
            if found is not None:
                yield found


def _iterated(body: Body, site: Iterate) -> Iterator[Element]:
    """`for v in array`, `for i, v in enumerate(array)`, `for v, w in zip(array, more)`."""
    for array, value, target in sources(body, site):
        if not _on_device(value) or not isinstance(target, cst.Name) or _has_few(body, array):
            continue
        read = next((r for r in _reads(body, site.loop) if _reads_name(r, target.value)), None)
        if read is not None and _keeps(site.loop, target.value):
            yield Element(array, read.node, site.loop)


def sources(
    body: Body, site: Iterate
) -> Iterator[tuple[cst.BaseExpression, Value, cst.CSTNode | None]]:
    """What a loop goes through, alone or in step, each with the target of its items."""
    target = _target(site)
    if isinstance(site.node, cst.BaseExpression):
        yield site.node, site.value, target
    call = body.call_of(site.node)
    if call is None or call.name not in _IN_STEP or call.starred:
        return
    parts = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else [target]
    if call.name == "builtins.enumerate":
        parts = parts[1:]
    for arg, value, part in zip(call.node.args, call.args, parts, strict=False):
        yield arg.value, value, part


def _target(site: Iterate) -> cst.CSTNode | None:
    node = site.loop.node
    if isinstance(node, cst.For):
        return node.target
    clauses = (part for part in walk(node) if isinstance(part, cst.CompFor))
    return next((clause.target for clause in clauses if clause.iter is site.node), None)


def _indexed(body: Body, site: Index) -> Element | None:
    """`float(array[i])`, in a loop that changes `i` and not the array."""
    loops, array = long_loops(site), dotted(site.node.value)
    if not loops or array is None or not _on_device(site.base) or not _whole(site.node):
        return None
    loop = loops[-1]
    changing = changing_names(loop.node) | bound_in(loop)
    index = set[str]().union(*map(names_in, site.node.slice))
    if array.partition(".")[0] in changing or not index & loop.names:
        return None
    if _has_few(body, site.node.value):
        return None
    read = next((r for r in _reads(body, loop) if _reads_node(r, site.node)), None)
    return Element(site.node.value, read.node, loop) if read is not None else None


def _whole(node: cst.Subscript) -> bool:
    """Plain indices: what a slice gives may be worth a transfer of its own."""
    return not any(isinstance(part.slice, cst.Slice) for part in node.slice)


def bound_in(loop: Loop) -> set[str]:
    """The names that the loop assigns, parts of them too: `state` of `state.x = f(x)`."""
    return {
        name.value
        for part in walk(loop.node)
        if isinstance(part, cst.AssignTarget | cst.AugAssign | cst.NamedExpr)
        for name in (*target_names(part.target), *_heads(part.target))
    }


def _heads(target: cst.CSTNode) -> Iterator[cst.Name]:
    while isinstance(target, cst.Attribute | cst.Subscript):
        target = target.value
    if isinstance(target, cst.Name):
        yield target


def _on_device(value: Value) -> bool:
    """Seen to be made there: what an annotation calls an array may be one of numpy."""
    return value.kind is Kind.ARRAY and not (value.maybe or value.tracer or value.param)


def _has_few(body: Body, array: cst.BaseExpression) -> bool:
    """`jnp.array([0.1, 1.0, 10.0])`: an array of a few numbers that are written out."""
    made = [bind.source for bind in body.of(Bind) if bind.name == dotted(array)]
    source = made[0] if len(made) == 1 else array
    if not isinstance(source, cst.Call) or last_word(source.func) not in _MAKERS or not source.args:
        return False
    given = source.args[0].value
    return isinstance(given, cst.List | cst.Tuple) and len(given.elements) <= _FEW


def _keeps(loop: Loop, name: str) -> bool:
    """The loop gives the name of the element to nothing else."""
    return name not in bound_in(loop)


def _reads(body: Body, loop: Loop) -> Iterator[Place]:
    """Places of the loop's own where the host waits for a value."""
    for site in body.sites:
        if not isinstance(site, Call | Format | Test) or loop not in site.at.loops:
            continue
        if not isinstance(site, Call) or (not site.decorator and _casts(site)):
            yield site


def _casts(call: Call) -> bool:
    if call.name in CASTS or call.name.rpartition(".")[2] in _METHODS:
        return True
    return call.body.fact(call).effect == "print"


def _operand(place: Place) -> list[cst.CSTNode]:
    """What the place reads: the argument, the object of the method, what is compared."""
    node = place.node
    if isinstance(node, cst.Call):
        if not isinstance(place, Call):
            return []  # what a function of its own makes of the element
        if isinstance(node.func, cst.Attribute) and not node.args:
            return [node.func.value]
        return [arg.value for arg in node.args if arg.keyword is None]
    if isinstance(node, cst.FormattedStringExpression):
        return [node.expression]
    if isinstance(node, cst.Comparison):
        return [node.left, *(part.comparator for part in node.comparisons)]
    return [node]


def _reads_name(place: Place, name: str) -> bool:
    return any(isinstance(node, cst.Name) and node.value == name for node in _operand(place))


def _reads_node(place: Place, node: cst.CSTNode) -> bool:
    return any(operand is node for operand in _operand(place))
