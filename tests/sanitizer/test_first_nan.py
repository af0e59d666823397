"""`first_nan` names the operation, its line, the turn of the loop, and what it was given."""

from __future__ import annotations

import inspect

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from gotcha_sanitizer import first_nan  # noqa: E402
from gotcha_sanitizer.hooks.jaxpr import evaluate, ranges  # noqa: E402


def layer(carry, weight):
    with jax.named_scope("block"):
        hidden = jnp.tanh(carry @ weight)
        return jnp.log(hidden - 0.05), None  # the line


def loss(weights, x):
    with jax.named_scope("encoder"):
        y, _ = jax.lax.scan(layer, x, weights)
    return y.sum()


def _line(function, text: str) -> int:
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


WEIGHTS = jnp.stack([jnp.eye(4) * scale for scale in (2.0, 1.0, 1.0)])


def test_scan_iteration_scope_line_and_range():
    step = jax.jit(jax.value_and_grad(loss), donate_argnums=0)
    found = first_nan(step, WEIGHTS, jnp.full((2, 4), 0.9))
    assert found is not None
    assert (found.kind, found.primitive, found.backward) == ("nan", "log", False)
    assert found.site is not None
    assert found.site.line == _line(layer, "# the line")
    assert found.scope == "encoder/block"
    assert found.path[-1] == "scan iteration 1 of 3"
    (operand,) = found.operands
    assert (operand.dtype, operand.shape) == ("float32", (2, 4))
    assert operand.high is not None
    assert operand.high < 0
    assert not WEIGHTS.is_deleted()
    assert "scan iteration 1 of 3" in str(found)


def test_the_infinity_behind_a_nan_of_the_backward_pass():
    gradient = jax.jit(jax.grad(lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0).sum()))
    found = first_nan(gradient, jnp.array([1.0, 0.0]))
    assert found is not None
    assert found.backward
    assert found.cause is not None
    assert (found.primitive, found.cause.primitive, found.cause.kind) == ("mul", "div", "inf")
    assert "from an infinity: `div`" in str(found)


FINE = {
    "nan that a mask takes out": lambda x: jnp.where(x > 0, jnp.log(x), 0.0),
    "mask of infinities": lambda x: jax.nn.softmax(jnp.where(x > 0, x, -jnp.inf)),
    "maximum": lambda x: x.max() + jax.scipy.special.logsumexp(x),
    "masked inside a scan": lambda x: jax.lax.scan(
        lambda c, _: (jnp.where(c > 1, jnp.sqrt(c - 1), 1.0), None), x, length=4
    )[0],
}


@pytest.mark.parametrize("name", FINE)
def test_finite_results_give_none(name: str):
    x = jnp.array([1.0, -1.0])
    assert bool(jnp.isfinite(FINE[name](x)).all())
    assert first_nan(FINE[name], x) is None
    assert first_nan(jax.jit(FINE[name]), x) is None


CASES = {
    "while": (
        lambda x: jax.lax.while_loop(
            lambda c: c[0] < 4, lambda c: (c[0] + 1, jnp.sqrt(c[1] - 1.0)), (0, x)
        ),
        "sqrt",
        "while iteration 2",
    ),
    "cond": (
        lambda x: jax.lax.cond(x.sum() > 0, jnp.arccos, lambda y: y, x),
        "acos",
        "branch 1 of cond",
    ),
    "checkpoint": (lambda x: jax.checkpoint(lambda y: jnp.log(-y))(x), "log", "checkpoint"),
    "jit": (lambda x: jax.jit(lambda y: jnp.log(-y))(x), "log", "<lambda>"),
    "custom_jvp": (lambda x: jax.nn.relu(jnp.log(-x)), "log", ""),
}


@pytest.mark.parametrize("name", CASES)
def test_descends(name: str):
    function, primitive, where = CASES[name]
    found = first_nan(function, jnp.full(2, 2.0))
    assert found is not None
    assert found.primitive == primitive
    assert where == "" or where in found.path
    assert found.site is not None
    assert found.site.path == __file__


def test_shard_map_is_told_as_a_whole():
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    mesh = jax.make_mesh((1,), ("d",))
    x = jax.device_put(jnp.ones(2), NamedSharding(mesh, P("d")))
    mapped = jax.shard_map(lambda y: jnp.log(-y), mesh=mesh, in_specs=P("d"), out_specs=P("d"))
    found = first_nan(mapped, x)
    assert found is not None
    assert found.primitive == "shard_map"


def test_an_argument_that_has_it_already():
    found = first_nan(lambda p, x: (p["w"] * x).sum(), {"w": jnp.array([jnp.nan])}, x=jnp.ones(1))
    assert found is not None
    assert found.argument == "args[0]['w']"
    step = jax.jit(lambda p, x: (p.sum(), jnp.log(x)))
    made = first_nan(step, jnp.array([jnp.nan]), -jnp.ones(1))
    assert made is not None
    assert made.primitive == "log"


def test_infinity_is_told_where_there_is_no_nan():
    found = first_nan(jnp.log, jnp.array([1.0, 0.0]))
    assert found is not None
    assert (found.kind, found.primitive) == ("inf", "log")


def test_static_arguments_and_keys():
    step = jax.jit(
        lambda x, n, key: jnp.log(x - n) + jax.random.normal(key, (2,)), static_argnums=1
    )
    found = first_nan(step, jnp.ones(2), 3, jax.random.key(0))
    assert found is not None
    assert found.operands[0].high == -2.0


UNARY = (jnp.sin, jnp.tanh, jnp.exp, lambda x: x * 0.5, lambda x: jax.jit(jnp.cos)(x), jnp.abs)
BINARY = (jnp.add, jnp.multiply, jnp.maximum, lambda a, b: jnp.where(a > 0, a, b))
TREES = st.recursive(
    st.just("x"),
    lambda inner: (
        st.tuples(st.sampled_from(UNARY), inner) | st.tuples(st.sampled_from(BINARY), inner, inner)
    ),
    max_leaves=6,
)


def _evaluate(tree, x):
    if tree == "x":
        return x
    operation, *rest = tree
    return jnp.tanh(operation(*(_evaluate(each, x) for each in rest)))


def _planted(x):
    return jnp.log(-1 - jnp.abs(x))


@settings(max_examples=25, deadline=None)
@given(TREES, TREES, st.integers(0, 9))
def test_random_expressions(before, after, seed):
    x = jnp.asarray(np.random.default_rng(seed).normal(size=3), jnp.float32)
    assert first_nan(lambda v: _evaluate(before, v), x) is None
    found = first_nan(lambda v: _planted(_evaluate(before, v)) + _evaluate(after, v), x)
    assert found is not None
    assert (found.primitive, found.kind) == ("log", "nan")
    assert found.site is not None
    assert found.site.line == _line(_planted, "jnp.log")


def test_an_argument_that_is_nan_is_followed_through_functions_up_to_a_bound(monkeypatch):
    """The way of a NaN through nested functions that are shared has 2^depth turns."""
    function = jnp.sin
    for _ in range(8):
        function = (lambda inner: jax.jit(lambda v: inner(v) + inner(v)))(function)
    entered = []
    whole = evaluate.Evaluation._run
    monkeypatch.setattr(
        evaluate.Evaluation, "_run", lambda *given: (entered.append(1), whole(*given))[1]
    )
    monkeypatch.setattr(evaluate, "_STEPS", 60)
    found = first_nan(lambda x: function(x).sum(), jnp.array([1.0, jnp.nan]))
    assert found is not None and found.argument == "args[0]"
    assert 10 < len(entered) < 40


def _nested(depth: int):
    function = jnp.log
    for _ in range(depth):
        function = (lambda inner: jax.jit(lambda v: inner(v) + 1))(function)
    return function


def test_nested_functions_need_no_stack(monkeypatch):
    depths = []

    def look_at(array):
        depths.append(len(inspect.stack(context=0)))
        return ranges.look_at(array)

    monkeypatch.setattr(evaluate, "look_at", look_at)
    for depth in (1, 40):
        found = first_nan(_nested(depth), jnp.float32(-1))
        assert found is not None
        assert (found.primitive, len(found.path)) == ("log", depth)
    assert depths[0] == depths[-1]
