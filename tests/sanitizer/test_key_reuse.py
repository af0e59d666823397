"""Keys that one traced program uses twice: found with both lines, and not where it is meant."""

from __future__ import annotations

import pytest

from tests.counting import calls

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from gotcha_sanitizer.hooks.jaxpr.keys import look  # noqa: E402

R = jax.random
KEYS = {"typed": R.key(0), "raw": R.PRNGKey(0)}
X = jnp.ones((4, 8))


def facts(function, *args):
    return list(look(jax.jit(function).trace(*args).jaxpr, 0.0, "f", None))


def twice(key):
    first = R.normal(key, (4,))
    return first * R.uniform(key, (4,))


def after_split(key):
    one, _ = R.split(key)
    return R.normal(one, (4,)) * R.normal(key, (4,))


def split_twice(key):
    one, two = R.split(key), R.split(key)
    return R.normal(one[0], (4,)) * R.normal(two[0], (4,))


def same_index(key):
    parts = R.split(key, 3)
    return R.normal(parts[1], (4,)) * R.uniform(parts[1], (4,))


def same_fold(key):
    return R.normal(R.fold_in(key, 7), (4,)) * R.uniform(R.fold_in(key, 7), (4,))


def unrolled(key):
    total = 0.0
    for step in range(3):
        total += R.normal(key, (4,)) * step
    return total


def _valid(draw):
    return jnp.where(X[:, 0] > 0, draw, -1)


def masked_by_one(key):
    mask = R.bernoulli(key, 0.5, (4, 8))
    return jnp.where(mask, R.normal(key, (4, 8)), 0)


def in_scan(key):
    return jax.lax.scan(lambda c, _: (c + R.normal(key, (4,)), None), jnp.zeros(4), length=5)[0]


def in_fori(key):
    return jax.lax.fori_loop(0, 5, lambda i, c: c + R.normal(key, (4,)), jnp.zeros(4))


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize(
    "function", [twice, after_split, split_twice, same_index, same_fold, unrolled, masked_by_one]
)
def test_reused(function, kind: str):
    (fact,) = facts(function, KEYS[kind])
    assert (fact.gotcha, fact.cause, fact.severity) == ("key-reuse", "twice", "error")
    assert fact.site is not None
    assert fact.site.path == __file__
    assert fact.site.function == function.__name__
    assert str(fact.evidence["first"]).startswith(__file__)


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("function", [in_scan, in_fori])
def test_same_key_in_each_turn(function, kind: str):
    (fact,) = facts(function, KEYS[kind])
    assert (fact.cause, fact.confidence) == ("loop", "medium")


def test_both_lines():
    (fact,) = facts(twice, KEYS["typed"])
    first = twice.__code__.co_firstlineno + 1
    assert fact.site is not None
    assert fact.site.line == first + 1
    assert fact.evidence["first"] == f"{__file__}:{first}"


def dropout(key, x):
    return jnp.where(R.bernoulli(key, 0.5, x.shape), x, 0)


def helper(key):
    h = dropout(key, X)
    return dropout(key, jnp.tanh(h))


def test_a_helper_called_twice_is_only_a_note():
    (fact,) = facts(helper, KEYS["typed"])
    assert fact.severity == "info"


def crop(key, x):
    return jax.lax.dynamic_slice(x, R.randint(key, (2,), 0, 2), (2, 2))


def two_gradients(key):
    loss = lambda x: jnp.sin(dropout(key, x)).sum()  # noqa: E731
    first = jax.grad(loss)(X)
    return jax.grad(loss)(X + first)


def nested_samplers(key):
    one, two, three = R.split(key, 3)
    return R.gamma(one, 2.0, (4,)) + R.beta(two, 1.0, 2.0, (4,)) + R.poisson(three, 2.0, (4,))


def net_init(key):
    return {"w": R.normal(key, (4, 4))}


def _walk(_, state):
    key, total = state
    key, part = R.split(key)
    return key, total + R.normal(part)


CLEAN = {
    "different parts": lambda k: sum(R.normal(part) for part in R.split(k, 4)),
    "fold_in": lambda k: sum(R.normal(R.fold_in(k, i)) for i in range(4)),
    "scan over keys": lambda k: jax.lax.scan(
        lambda c, part: (c + R.normal(part), None), 0.0, R.split(k, 5)
    )[0],
    "carried": lambda k: jax.lax.fori_loop(0, 5, _walk, (k, 0.0))[1],
    "fold_in of the turn": lambda k: jax.lax.fori_loop(
        0, 5, lambda i, c: c + R.normal(R.fold_in(k, i)), 0.0
    ),
    "branches": lambda k: jax.lax.cond(
        X.sum() > 0, lambda: R.normal(k, (4,)), lambda: R.uniform(k, (4,))
    ),
    "aligned shuffles": lambda k: R.permutation(k, jnp.arange(9)) + R.permutation(k, jnp.ones(9)),
    "aligned crops": lambda k: crop(k, X) + crop(k, X * 2),
    "chosen by a mask": lambda k: jnp.where(X > 0, R.normal(k, (4, 8)), R.uniform(k, (4, 8))),
    "each masked, and one of them chosen": lambda k: jax.lax.select(
        X[0, 0] > 0, _valid(R.categorical(k, X)), _valid(R.categorical(k, 2 * X))
    ),
    "unused": lambda k: (R.normal(k, (3,)), R.uniform(k, (3,)))[1],
    "rematerialised": lambda k: jax.grad(
        jax.checkpoint(lambda x: jnp.sin(dropout(k, x)).sum())
    )(X),
    "two gradients": two_gradients,
    "samplers": nested_samplers,
    "equal inits": lambda k: (
        net_init(k),
        jax.tree.map(lambda x: x * 1, net_init(k)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("name", CLEAN)
def test_clean(name: str, kind: str):
    assert facts(CLEAN[name], KEYS[kind]) == []


def test_shared_nested_jits_are_walked_once():
    function = lambda k, x: R.normal(k, (3,)) + x  # noqa: E731
    for _ in range(24):
        function = (lambda inner: jax.jit(lambda k, x: inner(k, x) * inner(k, x)))(function)
    jaxpr = jax.jit(function).trace(R.key(0), jnp.ones(3)).jaxpr
    _, steps = calls(lambda: list(look(jaxpr, 0.0, "f", None)))
    assert steps < 2**20
