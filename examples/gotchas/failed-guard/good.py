import jax
import jax.numpy as jnp

# GOTCHA_OPTIONS=guard=2


@jax.jit
def embed(table, token):
    return table[token] * 2.0


vectors = embed(jnp.ones((16, 4)), jnp.asarray([3, 15]))
