"""Calls that turn a tracer into a Python number or a numpy array."""

from __future__ import annotations

from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.analysis.values import Kind, is_tracer
from gotcha_lint.facts.concrete import (
    CAST_METHODS,
    CASTS,
    NUMPY_ANSWERS_FALSE,
    NUMPY_WORKS,
    SEE_THROUGH_GRAD,
    SIZES,
    TRUTH,
)
from gotcha_lint.queries.traced import abstract, is_traced, tracers


def cast(body: Body, call: Call) -> str:
    """What is wrong with a call; empty where nothing is."""
    name, func = call.name, source_of(call.node.func)
    if not name or (name in SEE_THROUGH_GRAD and not abstract(body)):
        return ""
    if name == "jax.tree.map" and call.args:
        return _mapped(body, call)
    if name in CAST_METHODS or name == "?.item":
        return (
            f"`{func}()` on a traced array: it has no value yet"
            if call.base and is_traced(call.base)
            else ""
        )
    if name in CASTS or name.startswith("math.") or name in TRUTH:
        sure = is_tracer if name in TRUTH else is_traced
        traced = any(map(sure, call.args))
        return (
            f"`{func}` needs a number, and `{source_of(call.node)}` gives it a traced array"
            if traced
            else ""
        )
    if (
        name.startswith("numpy.")
        and name not in SIZES
        and body.fact(call).returns.startswith("host")
    ):
        return _numpy(call, func)
    return "" if name not in NUMPY_ANSWERS_FALSE else _numpy(call, func)


def _mapped(body: Body, call: Call) -> str:
    """`jax.tree.map(np.asarray, grads)` of traced gradients."""
    name = call.args[0].of if call.args[0].kind is Kind.NAMED else ""
    casts = name in _TO_NUMPY or (name in CASTS and abstract(body))
    traced = any(v.tracer and not v.maybe and v.kind in _ARRAYS for v in call.args[1:])
    if not (casts and traced):
        return ""
    word = source_of(call.node.args[0].value)
    return f"`{source_of(call.node.func)}` calls `{word}` with traced arrays, which have no values"


_TO_NUMPY = frozenset({"numpy.asarray", "numpy.array", "numpy.ascontiguousarray"})
_ARRAYS = frozenset({Kind.ARRAY, Kind.TREE})


def _numpy(call: Call, func: str) -> str:
    if call.name in NUMPY_WORKS or call.name.startswith(("numpy.random.", "numpy.testing.")):
        return ""
    if not any(any(tracers(value)) for value in (*call.args, *call.kwargs.values())):
        return ""
    if call.name in NUMPY_ANSWERS_FALSE:
        return f"`{func}` cannot see into a traced array and answers False: use `jnp`"
    return f"`{func}` needs a numpy array, which a traced one cannot become: use `jnp`"
