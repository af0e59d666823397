"""Places where the host waits for the device, and the compiled calls that it may wait for."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.filling import filled
from gotcha_lint.analysis.roles import boundary
from gotcha_lint.analysis.sites import Bind, Body, Call, Format, Place, Test
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts import Fact
from gotcha_lint.facts.concrete import CAST_METHODS, CASTS, TRUTH
from gotcha_lint.queries.calls import plain_calls
from gotcha_lint.queries.small import small_statements

_METHODS = frozenset(name.rpartition(".")[2] for name in CAST_METHODS) | {"block_until_ready"}
_MAP = "jax.tree.map"
_SHOWING = frozenset({"print", "log", "io"})


def compiled_calls(body: Body) -> Iterator[Call]:
    """Calls of functions that went through jit or pmap."""
    for call in plain_calls(body):
        if boundary(call.callee):
            yield call


def reads(body: Body) -> Iterator[tuple[Place, frozenset[str]]]:
    """Places that wait for values, each with the names that it reads."""
    for site in body.sites:
        if _waits(body, site):
            yield site, _names(site.node)
        elif isinstance(site, Call) and not site.decorator:
            names = _leaves_read(body, site) if site.name == _MAP else read_by(body, site)
            if names:
                yield site, names


def read_by(body: Body, call: Call) -> frozenset[str]:
    """Names that are given to a function of the project that reads them on the host."""
    callee, project = call.callee, body.project
    if project is None or callee.via or len(callee.targets) != 1:
        return frozenset()
    target = next(iter(callee.targets))
    read = body.usage.reads.get(target, frozenset())
    given = filled(project, target, callee, call) if read else ()
    return frozenset().union(*(_names(each.node) for each in given if each.name in read))


def _leaves_read(body: Body, call: Call) -> frozenset[str]:
    """Names of the trees whose leaves `jax.tree.map(np.asarray, tree)` reads, one by one."""
    function = call.arg(0, "f")
    if function is None or function.via or function.bound:
        return frozenset()
    read = any(body.usage.reads.get(target) for target in function.targets)
    if not read and not (function.kind is Kind.NAMED and _reads(body, function.of)):
        return frozenset()
    return frozenset().union(*(_names(arg.value) for arg in call.node.args[1:]))


def _waits(body: Body, site: Place) -> bool:
    if isinstance(site, Call):
        return not site.decorator and bool(site.name) and _reads(body, site.name)
    if isinstance(site, Test):
        return site.what not in ("and", "or") and _has_value(site)
    return isinstance(site, Format)


def _has_value(site: Test) -> bool:
    return site.value.kind is Kind.ARRAY and not site.value.maybe


def _reads(body: Body, name: str) -> bool:
    """The function of this name waits for what it is given."""
    if name in CASTS or name in TRUTH or name.rpartition(".")[2] in _METHODS:
        return True
    fact = body.project.facts.get(name) if body.project else Fact()
    if fact.effect in ("wait", "read") or fact.effect in _SHOWING:
        return True
    return name.startswith("numpy.") and fact.returns.startswith("host")


def _names(node: cst.CSTNode) -> frozenset[str]:
    return frozenset(n.value for n in walk(node) if isinstance(n, cst.Name))


def targets_of(body: Body, call: Call) -> frozenset[str]:
    """The names that the result of a call is bound to."""
    return frozenset(
        name
        for small in small_statements(call.at)
        if isinstance(small, cst.Assign) and small.value is call.node
        for target in small.targets
        for name in _names(target.target)
    )


def clock_names(body: Body) -> dict[str, list[Bind]]:
    """Names that hold a time, with the places that bind them."""
    found: dict[str, list[Bind]] = {}
    for bind in body.of(Bind):
        if is_clock(body, bind.source):
            found.setdefault(bind.name, []).append(bind)
    return found


def is_clock(body: Body, node: cst.CSTNode | None) -> bool:
    call = body.call_of(node)
    return (
        call is not None and body.fact(call).effect == "time" and body.fact(call).returns != "none"
    )
