"""The function around a lambda refuses traced arrays: what it slices has a number."""

import jax
import jax.numpy as jnp


def results(state, trim):
    count = jnp.minimum(state["count"], 10)
    if trim:
        if isinstance(count, jax.core.Tracer):
            raise RuntimeError("this cannot be trimmed while it is traced")
        state = jax.tree.map(lambda x: x[:count], state)
    return state


@jax.jit
def run(state):
    return results(state, trim=False)
