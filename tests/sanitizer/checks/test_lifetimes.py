"""What a session holds of a program: nothing that keeps its functions or arrays alive."""

from __future__ import annotations

import contextlib
import gc
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")


# What traces a function and compiles nothing.
TRACED: dict[str, Callable[[Any, Any], object]] = {
    "make_jaxpr": lambda f, x: jax.make_jaxpr(f)(x),
    "eval_shape": lambda f, x: jax.eval_shape(f, x),
    "lower": lambda f, x: jax.jit(f).lower(x),
    "raised": lambda f, x: jax.jit(f)(x[1:]),
}


@pytest.mark.parametrize("how", TRACED)
def test_a_function_that_was_only_traced_is_freed(running: Any, how: str):
    def scope() -> list[weakref.ref[Any]]:
        table = jnp.arange(100.0)

        def traced(x: Any) -> Any:
            # Raises before the table is read: JAX itself keeps what a failed trace has read.
            return (x.reshape(100) * table).sum()

        with contextlib.suppress(TypeError):
            TRACED[how](traced, jnp.ones(100))
        return [weakref.ref(traced), weakref.ref(table)]

    held = scope()
    gc.collect()
    for _ in range(100):  # a sample of the live arrays holds all of them for a moment
        if all(each() is None for each in held):
            break
        time.sleep(0.02)
    assert [each() for each in held] == [None, None]
    assert running.watches


def test_traces_of_functions_that_are_gone_are_not_numbered_for_ever(monkeypatch):
    from gotcha_sanitizer.hooks import traces
    from gotcha_sanitizer.values.parts import Function

    class Jaxpr:
        pass

    monkeypatch.setattr(traces, "_MOST", 50)
    known, kept = traces.Traces(), []
    for number in range(1000):
        jaxpr = Jaxpr()
        known.keep(Function("f", ("f",), number, "function", "user"), jaxpr)
        kept += [jaxpr] if number < 20 else []
        del jaxpr
        assert len(known._latest) <= 51
    assert all(known.knows(each) for each in kept)
