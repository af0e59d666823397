"""Is this value abstract here: would Python fail to see its number?"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body, Place, Test
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import Kind, Value, is_tracer
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.left_before import left_before
from gotcha_lint.queries.optional import not_asked_for
from gotcha_lint.rule import text_of

# Under these alone Python still sees the numbers: `if`, `int` and `.item` work.
CONCRETE_ROLES = frozenset({"grad", "value_and_grad", "jvp", "custom", "inline"})
_CAREFUL = ("Tracer", "is_concrete", "disable_jit", "concrete_or_error", "is_traced")
# Checks that are switched off where the code is traced.
_OPTIONAL = ("check", "valid", "debug")


def surely_traced(body: Body) -> bool:
    """Seen to be given to a transform, or called from such a function, and not by a test alone."""
    return body.trace is not None and not body.trace.soft and not _traced_by_test(body)


def _traced_by_test(body: Body) -> bool:
    """What a test traces, or gives to code that traces it, works, or fails on purpose."""
    chain = body.trace.chain if body.trace else ()
    return bool(chain) and (is_test(chain[0][0][0]) or is_test(body.model.path))


def abstract(body: Body) -> bool:
    """Traced so that arrays have no values: under jit, scan and their kin, not under grad alone."""
    trace = body.trace
    if trace is None or not surely_traced(body):
        return False
    return trace.staged or _mapped(body)


def _mapped(body: Body) -> bool:
    """The only parameter of a vmapped function is mapped; others may be `in_axes=None`."""
    trace = body.trace
    if trace is None or not trace.direct or not trace.roles <= CONCRETE_ROLES | {"vmap"}:
        return False
    return (
        "vmap" in trace.roles and sum(p.name not in trace.static for p in body.function.params) == 1
    )


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


def guarded(place: Place) -> bool:
    """An `if` before it asks whether the value is a tracer at all, or a `try` takes the failure."""
    return foreseen(place) or expected_to_fail(place.body, place.node)


def foreseen(place: Place) -> bool:
    """An `if` before it asks whether the value is a tracer, or it waits for what is never given."""
    body, names = place.body, [n.value for n in walk(place.node) if isinstance(n, cst.Name)]
    words = (*_CAREFUL, *(f"isinstance({name}," for name in names))
    tests = [text_of(t.node) for t in body.of(Test) if t.at.order <= place.at.order]
    around = [text_of(guard.test) for guard in place.at.guards]
    return (
        any(word in test for test in tests for word in words)
        or _asked_around(body.function.parent)
        or any(word in test for test in around for word in _OPTIONAL)
        or left_before(place)
        or not_asked_for(place)
    )


def _asked_around(function: Function | None) -> bool:
    """A function around it refuses tracers, or takes another way for them."""
    while function is not None and function.number != 0:
        tests = (node.test for node in walk(function.node) if isinstance(node, cst.If))
        if any(word in text_of(test) for test in tests for word in _CAREFUL):
            return True
        function = function.parent
    return False


def is_flag(site: Test) -> bool:
    """A parameter annotated as bool, of a helper: its callers give it True or False."""
    trace = site.body.trace
    name = site.node.value if isinstance(site.node, cst.Name) else ""
    annotations = [p.annotation for p in site.body.function.params if p.name == name]
    helper = trace is not None and not trace.direct
    return helper and any(a is not None and "bool" in text_of(a) for a in annotations)
