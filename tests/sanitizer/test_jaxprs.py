"""What JAX does not document about jaxprs is there, and its loss is told."""

from __future__ import annotations

import contextlib
import inspect
import sys

import pytest

import gotcha_sanitizer as gotcha
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import session

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from gotcha_sanitizer.hooks import private  # noqa: E402
from gotcha_sanitizer.hooks.jaxpr import jaxprs, loops  # noqa: E402
from gotcha_sanitizer.hooks.jaxpr.flat import flatten  # noqa: E402


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
    known = loops.scan(scan)
    assert known is not None and known[1:] == (3, False, 1, 1)
    body, _ = jaxprs.opened(known.body)
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


def test_flatten_needs_no_stack():
    function = jnp.sin
    for _ in range(50):
        function = (lambda inner: jax.jit(lambda v: inner(v) + 1))(function)
    jaxpr = jax.make_jaxpr(lambda x: jax.lax.scan(lambda c, _: (function(c), None), x, length=3))(1)
    limit, depth = sys.getrecursionlimit(), len(inspect.stack())
    sys.setrecursionlimit(depth + 40)
    try:
        flat = flatten(jaxpr)
    finally:
        sys.setrecursionlimit(limit)
    assert [step.place.depth for step in flat.steps if step.name == "sin"] == [51]


# -- renamed, one by one ---------------------------------------------------------------------------

RENAMED: dict[str, tuple[str, object]] = {
    "equation source_info": ("SOURCE_INFO", "absent"),
    "frames instantiate_zeros, _vjp3_bwd": ("ZEROS", ("absent", "absent")),
    "DebugInfo.func_src_info": ("DEFINED", "absent"),
    "DebugInfo.arg_names, result_paths": ("INPUTS", "absent"),
    "parameters of scan, while and cond": ("SCAN", ("absent",)),
    "Primitive.get_bind_params": ("BIND", "absent"),
}
ALL = {"key-reuse", "zero-gradient", "inlined", "first_nan", "loop"}
LOST = {
    "equation source_info": {"key-reuse", "zero-gradient", "first_nan"},
    "frames instantiate_zeros, _vjp3_bwd": {"zero-gradient"},
    "DebugInfo.func_src_info": {"inlined"},
    "DebugInfo.arg_names, result_paths": {"zero-gradient"},
    "parameters of scan, while and cond": {"loop"},
    "Primitive.get_bind_params": {"first_nan", "loop"},
}


@jax.jit
def inner(x):
    return jnp.sin(x) * 2


def program() -> None:
    """A key used twice, a gradient cut off, and a jitted function inside of another."""

    @jax.jit
    def drawn(key, x):
        key, fresh = jax.random.split(key)
        keys = jax.random.split(fresh, 4)
        turns = jax.lax.scan(lambda c, k: (c + jax.random.normal(k, (3,)), None), 0.0 * x, keys)
        return turns[0] + jax.random.normal(key, (3,)) + jax.random.normal(key, (3,))

    @jax.jit
    def step(p, x):
        return jax.grad(lambda p: inner((jnp.round(p["a"]) * x + p["b"]).sum()))(p)

    drawn(jax.random.key(0), jnp.ones(3))
    step({"a": jnp.ones(3), "b": jnp.ones(3)}, jnp.ones(3))


def last_turn(x):
    return jax.lax.scan(lambda c, v: (c - v, jnp.log(c)), 1.5, x)[1]


def seen(watched) -> set[str]:
    """Which of ALL a run finds."""
    program()
    gotcha.stop()
    found = {f.name for f in watched.run.findings.values()} & ALL
    found |= {"inlined"} & {"inlined" for each in watched.run.only_inlined if each.name == "inner"}
    with contextlib.suppress(gotcha.MissingInJax):
        told = str(gotcha.first_nan(last_turn, jnp.ones(4)))
        found |= {"first_nan"} if "test_jaxprs.py" in told else set()
        found |= {"loop"} if "scan iteration 2 of 4" in told else set()
    return found


@pytest.fixture
def watch():
    gotcha.stop()
    jax.clear_caches()
    yield lambda: session.start(Options(quiet=True))
    gotcha.stop()


def test_every_name_has_a_row():
    assert set(RENAMED) == {name.feature for name in jaxprs.NAMES}


def test_all_is_found_where_nothing_is_gone(watch):
    assert seen(watch()) == ALL


@pytest.mark.parametrize("feature", RENAMED)
def test_without_one_name_the_rest_is_found(feature, watch, monkeypatch):
    name, value = RENAMED[feature]
    monkeypatch.setattr(private, name, value)
    watched = watch()
    assert seen(watched) == ALL - LOST[feature]
    assert set(watched.run.degraded) & set(RENAMED) == {feature}
    assert watched.run.degraded[feature] in watched.report()


def test_first_nan_says_what_it_lacks(monkeypatch):
    monkeypatch.setattr(private, "BIND", "absent")
    with pytest.raises(gotcha.MissingInJax, match="doctor"):
        gotcha.first_nan(last_turn, jnp.ones(4))
