"""What JAX does not document about jaxprs is there, and its loss is told."""

from __future__ import annotations

import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from gotcha_sanitizer.hooks import jaxprs  # noqa: E402
from gotcha_sanitizer.hooks.flat import flatten  # noqa: E402


def test_all_names_are_there():
    assert jaxprs.self_test(jax) == {}


def test_a_name_that_is_gone_is_told(monkeypatch):
    monkeypatch.delattr(jax._src.api, "_vjp3_bwd")
    (lost,) = jaxprs.self_test(jax).values()
    assert "check_gradients" in lost


def test_line_scope_and_split_of_a_scan():
    def turn(carry, x):
        with jax.named_scope("block"):
            return carry * jnp.sin(x), carry

    jaxpr = jax.make_jaxpr(lambda w, xs: jax.lax.scan(lambda c, x: turn(c + w, x), 1.0, xs))
    (scan,) = [e for e in jaxpr(2.0, jnp.ones(3)).eqns if e.primitive.name == "scan"]
    assert jaxprs.split(scan) == (1, 1)
    body, _ = jaxprs.opened(scan.params["jaxpr"])
    (sine,) = [e for e in body.eqns if e.primitive.name == "sin"]
    site = jaxprs.site(sine)
    assert site is not None
    assert (site.path, site.line) == (__file__, turn.__code__.co_firstlineno + 2)
    assert jaxprs.scope(sine) == "block"


def test_donated_operands_are_kept():
    x = jnp.ones(3)
    jaxpr = jax.make_jaxpr(jax.jit(lambda v: v + 1, donate_argnums=0))(x)
    (result,) = jaxprs.bind(jaxpr.eqns[0], [x])
    assert result.tolist() == [2.0, 2.0, 2.0]
    assert not x.is_deleted()


def test_flatten_marks_loops_and_branches_and_is_bounded():
    def program(x):
        x = jax.lax.scan(lambda c, _: (jnp.sin(c), None), x, length=4)[0]
        return jax.lax.cond(x > 0, jnp.cos, jnp.tan, x)

    flat = flatten(jax.make_jaxpr(program)(1.0))
    places = {step.name: step.place for step in flat.steps}
    assert len(places["sin"].loops) == 1
    assert places["cos"].branches[0][0] == places["tan"].branches[0][0]
    assert places["cos"].branches != places["tan"].branches
    function = jnp.sin
    for _ in range(24):
        function = (lambda inner: jax.jit(lambda v: inner(v) + inner(v)))(function)
    assert len(flatten(jax.make_jaxpr(function)(1.0), most=100).steps) < 200
