"""Everything given to everything: no combination of known things raises in the analysis."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gotcha_lint import engine
from gotcha_lint.config.settings import Settings

SETTINGS = Settings()
SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)

SETUP = """\
import functools
from functools import partial
from typing import NamedTuple

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from flax.training import train_state


class State(NamedTuple):
    params: dict
    step: int


class Net(nn.Module):
    wide: bool = True

    @nn.compact
    def __call__(self, x, train: bool = False):
        return nn.Dense(4)(x) if train else x


class Box:
    def __init__(self, f, n=3):
        self.f, self.n, self.tx = f, n, optax.adam(1e-3)

    def run(self, x, flag=False):
        self.last = x
        return self.f(x) * self.n

    @property
    def gain(self):
        return self.n

    @partial(jax.jit, static_argnums=0)
    def step(self, x):
        return self.run(x)


def timed(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)

    return inner


def maker(f, scale=2.0, on=True):
    def inner(x):
        return f(x) * scale if on else x

    return inner


@timed
def double(x, flag=False):
    return x if flag else x * 2


@jax.jit
def quick(x):
    return x + 1


def loss(params, x, key=None, train=True):
    y = Net().apply(params, x, train=train)
    return jnp.mean(y), {"y": y}


tx = optax.chain(optax.clip(1.0), optax.adam(1e-3))
net = Net()
key = jax.random.key(0)
box = Box(double)
state = train_state.TrainState.create(apply_fn=net.apply, params={}, tx=tx)
batch = {"x": jnp.ones(3), "y": np.ones(3)}
history = []
"""

THINGS = """
tx; tx.init; tx.update; optax.adam; optax.adam(1e-3).update; box.tx.update; (tx.init, tx.update)
partial(double, flag=True); lambda x: x; double; quick; maker(double); maker; timed; timed(quick)
partial(maker, scale=3.0); {'a': double}; [double, quick]; [f for f in (double, quick)]
Net; net; net.apply; nnx.Linear(2, 2, rngs=nnx.Rngs(0)); eqx.nn.Linear
box; box.run; box.step; box.f; box.gain; box.run if box.n else double; super(); float; print
key; jax.random.split(key); jnp.ones(3); np.asarray; batch; batch['x']; history; history.append
3; None; State; State({}, 0); state; state.apply_fn; state.apply_gradients; given; mask; mask & mask
loss; jax.grad(loss, has_aux=True); jax.vmap(double); partial(jax.jit, static_argnums=0)
jax.jit; jnp.where; jnp; jax.lax.scan; jax.tree.map; jnp.linalg.norm
"""

FORMS = """
A(B); jax.jit(A)(B); jax.vmap(A, in_axes=B); jax.vmap(A)(B); jax.grad(A)(B, B); jax.checkpoint(A)(B)
jax.lax.scan(A, B, B); jax.lax.cond(B, A, A, B); partial(A, B)(B); timed(A)(B); maker(A, B)(B)
partial(jax.jit, static_argnums=B)(A); jax.jit(A, donate_argnums=B)(B, B); A(*B); A(**B)
jax.value_and_grad(A, has_aux=B); jax.custom_vjp(A).defvjp(B, B); Box(A).run(B); Box(A, B).step(B)
jax.tree.map(A, B); nnx.jit(A)(B); eqx.filter_jit(A)(B); nn.scan(A, length=B)(4); jax.device_get(A)
jax.shard_map(A, mesh=B, in_specs=B, out_specs=B); state.replace(params=A, tx=B)
jax.random.normal(A, B); jnp.where(A > 0, jnp.sqrt(A), B); [A for x in (B)]; (A)[B]; (A) + (B)
(A).at[B].set(B); (A).attr.apply(B); (A) is (B); f"{A}{B:.3f}"; A
"""

STATEMENTS = (
    "found = E",
    "for found in range(3):\n        other = E",
    "if E:\n        mask = E",
    "with E as found:\n        found = found",
    "return E",
    "found, other = E",
    "given = E\n    mask = mask & given\n    found = jnp.where(mask, E, 0)",
    "def inner(x, flag=True):\n        return E, x\n    found = jax.jit(inner)(E)",
    "found = other = E\n    while found:\n        found = other + E",
    "global tx\n    tx = E",
)
DECORATORS = ("", "@jax.jit\n", "@timed\n", "@partial(jax.jit, static_argnums=0)\n", "@jax.grad\n")


def _words(text: str) -> list[str]:
    return [word.strip() for line in text.strip().splitlines() for word in line.split(";")]


things, forms = st.sampled_from(_words(THINGS)), st.sampled_from(_words(FORMS))


def function(parts: tuple[str, str, str, str, str]) -> str:
    decorator, statement, form, one, other = parts
    stands = {"A": f"({one})", "B": f"({other})"}
    whole = re.sub(r"\b[AB]\b", lambda word: stands[word[0]], form)
    body = re.sub(r"\bE\b", lambda _: f"({whole})", statement)
    return f"{decorator}def NAME(given, mask=True, *rest, **options):\n    {body}\n"


functions = st.tuples(
    st.sampled_from(DECORATORS), st.sampled_from(STATEMENTS), forms, things, things
).map(function)
programs = st.lists(functions, min_size=25, max_size=40).map(
    lambda parts: "\n\n".join(
        [SETUP, *(part.replace("NAME", f"function_{i}") for i, part in enumerate(parts))]
    )
)


def analysed(text: str) -> None:
    ast.parse(text)
    report = engine.lint(
        ["a.py"], lambda _: SETTINGS, screen=False, overlay={"a.py": text.encode()}
    )
    assert report.failures == []
    assert not {"syntax-error", "too-deeply-nested"} & {found.name for found in report.findings}


@settings(max_examples=30, deadline=None, suppress_health_check=SLOW)
@given(programs)
def test_nothing_raises(text: str) -> None:
    analysed(text)


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=SLOW)
@given(programs)
def test_nothing_raises_in_many(text: str) -> None:
    analysed(text)
