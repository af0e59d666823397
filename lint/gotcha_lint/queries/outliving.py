"""Does what a name holds live longer than the trace of this function?"""

from __future__ import annotations

from gotcha_lint.analysis.results import MODULES
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.queries.traced import CONCRETE_ROLES


def outlives(body: Body, name: str, held: Value | None = None, *, attribute: bool = False) -> bool:
    """A name of an outer function or of the module, or an attribute of a lasting object."""
    head, dot, _ = name.partition(".")
    trace = body.trace
    if trace is None or (held is not None and not _plain(body, held, attribute or bool(dot))):
        return False
    scope = body.function.scope
    if head in scope.bound.keys() - scope.global_names - scope.nonlocal_names:
        return _own_object(body, head)
    owner = scope.outer(head)
    if owner is None:
        return False
    return owner.kind == "module" or _crosses(body)


def _plain(body: Body, held: Value, attribute: bool) -> bool:
    """A Python container, or an object that no library keeps for its traces."""
    if held.tracer and held.kind is not Kind.LIST:
        return False
    if held.kind is Kind.LIST:
        return True
    project = body.project
    if held.kind is not Kind.OBJECT or held.cls is None or project is None:
        return False
    return attribute and not project.is_a(held.cls, *MODULES) and not project.decorators(held.cls)


def _crosses(body: Body) -> bool:
    """The function itself is given to a transform: what it stores outside leaves the trace."""
    trace = body.trace
    if trace is None or not trace.direct or len(trace.chain) != 1:  # else the owner is traced too
        return False
    role = trace.chain[-1][1].partition(" of ")[0]
    return role not in CONCRETE_ROLES | {"vmap", "pallas", "module"} and "pallas" not in trace.roles


def _own_object(body: Body, head: str) -> bool:
    """`self` of a bound method that is itself compiled."""
    params = body.function.params
    first = bool(params) and body.function.is_method and params[0].name == head
    trace = body.trace
    return first and trace is not None and head in trace.static and _crosses(body)
