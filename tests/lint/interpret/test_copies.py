"""Copies of objects that a caller gives: `state.replace(...)` of a parameter of unknown class."""

from __future__ import annotations

from pathlib import Path

from tests.lint.support import code, found, lint_files, marks

KEYS = code(
    """
    import jax
    import jax.numpy as jnp


    def noisy_twice(state, x):
        x = x + jax.random.normal(state.key, x.shape)
        state = state.replace(count=state.count + 1)
        return state, x + jax.random.normal(state.key, x.shape)  # ! key-reuse


    def noisy_anew(state, x):
        x = x + jax.random.normal(state.key, x.shape)
        key, other = jax.random.split(jax.random.fold_in(state.other, 1))
        state = state.replace(key=key)
        return state, x + jax.random.normal(state.key, x.shape)


    def unbound(state, x):
        state.replace(key=jax.random.key(0))
        return x + jax.random.normal(state.key, x.shape)


    @jax.jit
    def step(state, batch):
        def loss(params):
            out = state.apply_fn(params, batch)
            return jnp.mean(out + jax.random.normal(state.key, out.shape))

        return state.apply_gradients(grads=jax.grad(loss)(state.params))


    def train(state, batches):
        for batch in batches:
            state = step(state, batch)  # ! key-reuse
        return state


    @jax.jit
    def step_with_new_key(state, batch):
        key, own = jax.random.split(state.key)

        def loss(params):
            out = state.apply_fn(params, batch)
            return jnp.mean(out + jax.random.normal(own, out.shape))

        return state.apply_gradients(grads=jax.grad(loss)(state.params), key=key)


    def train_with_new_keys(state, batches):
        for batch in batches:
            state = step_with_new_key(state, batch)
        return state


    class Agent:
        def explore(self, state, x):
            noise = jax.random.normal(state.key, x.shape)
            return state.replace(mean=state.mean + noise)

        def run(self, state, xs):
            def turn(state, x):
                key, own = jax.random.split(state.key)  # ! key-reuse
                state = state.replace(key=key)
                return self.explore(state, x + jax.random.normal(own, x.shape)), x

            return jax.lax.scan(turn, state, xs)


    def sample(state, x):
        key, own = jax.random.split(state.key)
        return state.replace(key=key), jax.random.normal(own, x.shape)


    def in_two_scans(state, xs):
        state, first = jax.lax.scan(sample, state, xs)
        state, second = jax.lax.scan(sample, state, xs)
        return state, first, second


    def in_a_fori_loop(state, x, count):
        state = jax.lax.fori_loop(0, count, lambda _, state: sample(state, x)[0], state)
        return sample(state, x)


    def in_a_python_loop(state, xs):
        for x in xs:
            state, _ = sample(state, x)
        return sample(state, xs[0])
    """
)
OWN = code(
    """
    from typing import NamedTuple

    import jax


    class State(NamedTuple):
        mean: jax.Array
        key: jax.Array


    def sample(state, x):
        key, own = jax.random.split(state.key)
        return state._replace(key=key), jax.random.normal(own, x.shape)


    def same(state, x):
        noise = jax.random.normal(state.key, x.shape)  # ! key-reuse
        return state._replace(mean=state.mean + x), noise


    def in_two_scans(mean, seed, xs):
        state = State(mean, jax.random.key(seed))
        state, first = jax.lax.scan(sample, state, xs)
        state, second = jax.lax.scan(sample, state, xs)
        return state, first, second


    def in_two_scans_with_one_key(mean, seed, xs):
        state = State(mean, jax.random.key(seed))
        state, first = jax.lax.scan(sample, state, xs)
        state, second = jax.lax.scan(same, state, xs)
        return state, first, second
    """
)


def test_keys_of_copies(tmp_path: Path) -> None:
    assert found(lint_files(tmp_path, {"a.py": KEYS}, ("key-reuse",))) == marks(KEYS)


def test_a_loop_of_jax_renews_the_keys_of_an_object(tmp_path: Path) -> None:
    assert found(lint_files(tmp_path, {"a.py": OWN}, ("key-reuse",))) == marks(OWN)
