"""Is this value abstract here: would Python fail to see its number?"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.analysis.sites import At, Body
from gotcha_lint.analysis.values import Kind, Value, is_tracer
from gotcha_lint.rule import text_of

# Under these alone Python still sees the numbers: `if`, `int` and `.item` work.
CONCRETE_ROLES = frozenset({"grad", "value_and_grad", "jvp", "custom", "inline"})
_CAREFUL = ("Tracer", "is_concrete", "disable_jit", "concrete_or_error", "is_traced")


def surely_traced(body: Body) -> bool:
    """Seen to be given to a transform, or called from such a function."""
    return body.trace is not None and not body.trace.soft


def abstract(body: Body) -> bool:
    """Traced so that arrays have no values: under jit, scan and their kin, not under grad alone."""
    trace = body.trace
    if trace is None or trace.soft:
        return False
    return trace.staged or _mapped(body)


def _mapped(body: Body) -> bool:
    """The only parameter of a vmapped function is mapped; others may be `in_axes=None`."""
    trace = body.trace
    if trace is None or not trace.direct or not trace.roles <= CONCRETE_ROLES | {"vmap"}:
        return False
    return "vmap" in trace.roles and sum(p.name not in trace.static for p in body.function.params) == 1


def is_traced(value: Value) -> bool:
    """Surely a traced array, or a pytree of them: as a number or a size both fail."""
    return is_tracer(value) or (value.tracer and not value.maybe and value.kind is Kind.UNKNOWN)


def tracers(value: Value) -> Iterator[Value]:
    """The surely traced arrays in a value: itself, or those of a tuple or a list."""
    if is_traced(value):
        yield value
    elif value.kind in (Kind.TUPLE, Kind.LIST) and not value.maybe and value.of != "dict":
        for item in value.items:
            yield from tracers(item)


def guarded(at: At) -> bool:
    """An `if` around it asks whether the value is a tracer at all."""
    return any(word in text_of(guard.test) for guard in at.guards for word in _CAREFUL)
