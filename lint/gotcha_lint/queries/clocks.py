"""Regions of time: from one reading of a clock to the next."""

from __future__ import annotations

import re

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Call, Format, Operate, Place
from gotcha_lint.analysis.syntax import holds, names_in, walk
from gotcha_lint.analysis.unread import is_read
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.host import FILLING
from gotcha_lint.queries.reads import is_clock, targets_of
from gotcha_lint.queries.small import small_statements
from gotcha_lint.rule import text_of

_COMPILING = re.compile("compil(?!ed|er)|warm_?up", re.IGNORECASE)


def region(
    body: Body, place: Operate, clocks: dict[str, list[Bind]]
) -> tuple[Bind | None, Place | None]:
    """Where the clocks were read whose difference this is."""
    match place.node:
        case cst.BinaryOperation(left=left, operator=cst.Subtract(), right=right):
            stop = place if is_clock(body, left) else _last(clocks, left, place)
            return _last(clocks, right, place), stop
    return None, None


def is_shown(body: Body, place: Operate) -> bool:
    """The difference of the clocks is read, and not meant to be the time to compile.

    What is compiled is compiled when the call returns.
    """
    if any(map(_COMPILING.search, (body.function.name, text_of(place.at.statement)))):
        return False
    for small in small_statements(place.at):
        match small:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                if value is place.node:
                    return is_read(body.function, name)
    return True


def _last(clocks: dict[str, list[Bind]], node: cst.CSTNode, place: Place) -> Bind | None:
    name = node.value if isinstance(node, cst.Name) else ""
    before = [bind for bind in clocks.get(name, ()) if bind.at.order < place.at.order]
    return before[-1] if before else None


def between(start: Place, site: Place, stop: Place) -> bool:
    return start.at.order < site.at.order <= stop.at.order


def turns(read: Place, start: Place, stop: Place) -> bool:
    """The read belongs to an earlier turn of a loop that the clock runs over."""
    loops = _loops(stop) - _loops(start)
    return any(id(loop.node) in loops for loop in read.at.loops)


def _loops(place: Place) -> set[int]:
    return {id(loop.node) for loop in place.at.loops}


def results(body: Body, calls: list[Call]) -> frozenset[str]:
    """The names that what these calls give may go by: bound to it, computed from it, holding it."""
    names = set().union(*(targets_of(body, call) for call in calls))
    ids = {id(call.node) for call in calls}
    for place in body.sites:
        if isinstance(place, Bind) and place.source is not None:
            if _touches(place.source, names, ids):
                names.add(place.name)
        elif isinstance(place, Call) and _fills(place) and _given(place, names, ids):
            names.update(names_in(place.node.func) - FILLING)
    return frozenset(names)


def _given(call: Call, names: set[str], ids: set[int]) -> bool:
    return any(_touches(arg.value, names, ids) for arg in call.node.args)


def _touches(node: cst.CSTNode, names: set[str], ids: set[int]) -> bool:
    return not names.isdisjoint(names_in(node)) or any(id(part) in ids for part in walk(node))


def _fills(call: Call) -> bool:
    func = call.node.func
    return isinstance(func, cst.Attribute) and func.attr.value in FILLING


def may_wait(body: Body, call: Call, compiled: Call, names: frozenset[str]) -> bool:
    """A call after the compiled one, or in its loop, that is given its result, and may read it."""
    if call is compiled or call.callee.via or call.decorator:
        return False
    if is_clock(body, call.node) or _only_queues(call):
        return False
    if any(holds(arg, compiled.node) for arg in call.node.args):
        return True  # `finished(step(x))`
    again = bool(_loops(call) & _loops(compiled))
    if not (again or call.at.order > compiled.at.order):
        return False
    return not names.isdisjoint(names_in(call.node) | _closed_over(body, call))


def _closed_over(body: Body, call: Call) -> set[str]:
    """The names of this function that a nested one uses: it is given them too."""
    here = [body.model.functions[n] for p, n in call.callee.targets if p == body.model.path]
    return set().union(*(inner.captured for inner in here if inner.parent is body.function))


def compiles_anew(call: Call, inside: list[Call]) -> bool:
    """Its function is jitted inside of the region: it is the compilation that is timed."""
    sites = {via.site for via in call.callee.via}
    made = (via.site for other in inside if other is not call for via in other.result.via)
    return not sites.isdisjoint(made)


def _only_queues(call: Call) -> bool:
    """Python's own containers and the functions of jax do not wait for what they are given."""
    held = call.base is not None and call.base.kind is Kind.LIST
    return (held and _fills(call)) or call.name.startswith(_ASYNCHRONOUS)


_ASYNCHRONOUS = (
    *("jax.numpy.", "jax.nn.", "jax.lax.", "jax.tree.", "jax.random.", "optax."),
    *(
        "builtins.len",
        "builtins.range",
        "builtins.zip",
        "builtins.enumerate",
        "builtins.isinstance",
    ),
    *("builtins.dict", "builtins.list", "builtins.tuple", "builtins.next", "builtins.iter"),
)


def touches_device(read: Place) -> bool:
    """What a read is given may be on the device: it then waits for all that is queued before."""
    if isinstance(read, Call):
        values = (*read.args, *read.kwargs.values(), *((read.base,) if read.base else ()))
        return not values or not all(map(_on_host, values))
    return not (isinstance(read, Format) and _on_host(read.value))


def _on_host(value: Value) -> bool:
    return not value.maybe and value.kind in (Kind.STATIC, Kind.NONE, Kind.HOST)
