"""What can be asked of an array that was given away, and what JAX never takes."""

import jax
import jax.numpy as jnp

f = jax.jit(lambda x: x * 2, donate_argnums=0)


def lowered():
    x = jnp.ones(4)
    y = f(x)
    return y, f.lower(x).as_text(), jax.ShapeDtypeStruct.like(x), jax.typeof(x)


def assert_deleted(x):
    y = f(x)
    check = Case()
    check.assertDeleted(x)
    check.assert_not_deleted(y)
    return y


class Case:
    def assertDeleted(self, x):
        assert x.is_deleted()

    def assert_not_deleted(self, x):
        assert not x.is_deleted()


step = jax.jit(lambda state, batch: batch["x"] * 2, donate_argnums=(1,))
mapped = jax.pmap(lambda state, batch: batch["x"] * 2, donate_argnums=(1,))


def shapes(state, batches):
    batch = next(batches)
    out = step(state, batch)
    for key in batch.keys():
        print(out, batch[key].shape[2:], batch[key].dtype)
    jax.tree.map(lambda leaf: leaf.delete(), batch)


def by_keyword(state, batch):
    """`pmap` donates no keyword arguments."""
    out = mapped(state, batch=batch)
    return out, batch["x"].sum()


def without_state(data, keys):
    """What is None has no buffers, and other names for None share none."""
    advance = jax.jit(lambda data, state, key: (data * 2, state), donate_argnums=(0, 1))
    opt_state = None
    for key in keys:
        data, *_ = advance(data, None, key)
    for key in keys:
        data, opt_state = advance(data, opt_state, key)
    return data, opt_state


def without_state_by_keyword(data, keys):
    advance = jax.pmap(lambda data, state, key: (data * 2, state), donate_argnums=(0, 1))
    start = jnp.ones(4)
    for key in keys:
        data, _ = advance(data, state=start, key=key)
    return data, start
