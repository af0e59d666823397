"""Parameters that no gradient reaches are named with what cut it; frozen ones are not."""

from __future__ import annotations

import pytest

from tests.counting import calls

jax = pytest.importorskip("jax")
optax = pytest.importorskip("optax")
import jax.numpy as jnp  # noqa: E402

from gotcha_sanitizer.hooks.jaxpr.zero_gradients import look  # noqa: E402

X = jnp.ones((4, 5))
NET = {"w1": jnp.ones((5, 6)), "w2": jnp.ones((6, 3)), "b": jnp.ones(3)}


def facts(loss, params, tx, *, aux=False):
    def step(params, state, x):
        value, grads = jax.value_and_grad(loss, has_aux=aux)(params, x)
        updates, state = tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    return list(look(jax.jit(step).trace(params, tx.init(params), X).jaxpr, 0.0, "step", None))


def apply(params, x):
    return jnp.tanh(x @ params["w1"]) @ params["w2"] + params["b"]


def mixed(params, x):
    chosen = jnp.argmax(params["arg"])
    rounded = jnp.round(params["round"]).sum()
    frozen = jax.lax.stop_gradient(params["frozen"])
    return apply(params, x).sum() + chosen + rounded + frozen.sum() + jnp.sign(params["sign"]).sum()


MIXED = {
    **NET,
    "arg": jnp.ones(7),
    "round": jnp.ones((2, 2)),
    "sign": jnp.ones((3, 2)),
    "frozen": jnp.ones(9),
    "unused": jnp.ones(11),
}
OPTIMIZERS = {
    "sgd": optax.sgd(0.1),
    "adamw": optax.adamw(1e-3),
    "clipped": optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3)),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_each_cut_is_named(name: str):
    found = facts(mixed, MIXED, OPTIMIZERS[name])
    lines = {fact.message.split("`")[1]: fact for fact in found}
    assert lines.keys() == {
        "params['arg']", "params['round']", "params['sign']", "params['unused']"
    }  # fmt: skip
    first = mixed.__code__.co_firstlineno
    for path, line, operation in (
        ("arg", 1, "argmax"),
        ("round", 2, "rounding"),
        ("sign", 4, "sign"),
    ):
        fact = lines[f"params['{path}']"]
        assert fact.site is not None
        assert (fact.site.path, fact.site.line) == (__file__, first + line)
        assert operation in fact.message
        assert fact.severity == "warning"
    unused = lines["params['unused']"]
    assert (unused.severity, unused.cause) == ("info", "unused")


def test_a_head_that_the_loss_does_not_use_is_not_cut():
    """Its activation compares, and its result is thrown away: the comparison is not the reason."""

    def loss(params, x):
        _ = jax.nn.relu(x @ params["seen"]) @ params["only"]  # as for a picture
        return apply(params, x).sum()

    (fact,) = facts(loss, {**NET, "seen": jnp.ones((5, 4)), "only": jnp.ones(4)}, optax.sgd(0.1))
    assert fact.evidence["parameters"] == ["params['only']", "params['seen']"]
    assert (fact.severity, fact.cause) == ("info", "unused")


def test_a_cut_is_named_where_the_loss_is_not_given_back():
    def step(params, x):
        return jax.tree.map(lambda p, g: p - g, params, jax.grad(mixed)(params, x))

    found = list(look(jax.jit(step).trace(MIXED, X).jaxpr, 0.0, "step", None))
    cut = {fact.message.split("`")[1] for fact in found if fact.cause == "cut"}
    assert cut == {"params['arg']", "params['round']", "params['sign']"}


def test_accuracy_as_loss_is_an_error():
    def accuracy(params, x):
        return -jnp.mean(jnp.argmax(apply(params, x), -1) == jnp.arange(4))

    (fact,) = facts(accuracy, NET, OPTIMIZERS["adamw"])
    assert fact.severity == "error"
    assert fact.evidence["parameters"] == ["params['b']", "params['w1']", "params['w2']"]
    assert "every other parameter" in fact.message


def test_inside_a_scan_and_equal_shapes():
    def loss(params, x):
        out, _ = jax.lax.scan(lambda c, w: (jnp.sign(c @ w), None), x, params["dead"]["kernel"])
        return (out @ params["live"]["kernel"][0]).sum()

    params = {"dead": {"kernel": jnp.ones((3, 5, 5))}, "live": {"kernel": jnp.ones((3, 5, 5))}}
    (fact,) = facts(loss, params, OPTIMIZERS["adamw"])
    assert fact.evidence["parameters"] == ["params['dead']['kernel']"]


def straight_through(params, x):
    hidden = x @ params["w1"]
    hidden = hidden + jax.lax.stop_gradient(jnp.round(hidden) - hidden)
    return (hidden @ params["w2"] + params["b"]).sum()


def with_metrics(params, x):
    logits = apply(params, x)
    return (logits**2).mean(), jnp.mean(jnp.argmax(logits, -1) == 0)


def codebook(params, x):
    z = x @ params["w1"]
    code = jax.lax.stop_gradient(params["code"])
    distances = ((z[:, None] - params["code"][None]) ** 2).sum(-1)
    quantized = code[jnp.argmin(distances, -1)]
    return ((z + jax.lax.stop_gradient(quantized - z)) @ params["w2"]).sum() + params["b"].sum()


FROZEN = optax.multi_transform(
    {"train": optax.adam(1e-3), "freeze": optax.set_to_zero()},
    {"w1": "freeze", "w2": "train", "b": "train"},
)


@pytest.mark.parametrize(
    ("loss", "params", "tx", "aux"),
    [
        (lambda p, x: apply(p, x).sum(), NET, OPTIMIZERS["clipped"], False),
        (lambda p, x: apply(p, x).sum(), NET, FROZEN, False),
        (straight_through, NET, OPTIMIZERS["adamw"], False),
        (with_metrics, NET, OPTIMIZERS["adamw"], True),
        (codebook, {**NET, "code": jnp.ones((7, 6))}, OPTIMIZERS["adamw"], False),
    ],
    ids=["plain", "set_to_zero", "straight-through", "accuracy as aux", "codebook"],
)
def test_right_programs(loss, params, tx, aux):
    assert facts(loss, params, tx, aux=aux) == []


def test_adapters_of_a_frozen_model():
    def step(adapter, frozen, x):
        loss = lambda a: (x @ frozen + x @ a["a"] @ a["b"]).sum()  # noqa: E731
        return jax.tree.map(lambda a, g: a - g, adapter, jax.grad(loss)(adapter))

    adapter = {"a": jnp.ones((5, 2)), "b": jnp.ones((2, 3))}
    jaxpr = jax.jit(step).trace(adapter, jnp.ones((5, 3)), X).jaxpr
    assert list(look(jaxpr, 0.0, "step", None)) == []


def test_shared_nested_jits_are_walked_once():
    function = lambda p, x: (jnp.round(p["cut"]).sum() + p["w"].sum()) * x  # noqa: E731
    for _ in range(24):
        function = (lambda inner: jax.jit(lambda p, x: inner(p, x) + inner(p, x)))(function)
    params = {"cut": jnp.ones(4), "w": jnp.ones(3)}
    # Not differentiated as a whole: JAX itself would take 2^24 steps.
    step = jax.jit(lambda p, x: (jax.grad(lambda q: jnp.argmax(q["cut"]) * 1.0)(p), function(p, x)))
    jaxpr = step.trace(params, 1.0).jaxpr
    found, steps = calls(lambda: list(look(jaxpr, 0.0, "step", None)))
    assert steps < 2**20
    assert {fact.cause for fact in found} <= {"cut", "unused"}
    assert found
