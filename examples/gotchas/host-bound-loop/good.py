import jax
import jax.numpy as jnp

w, x = jnp.ones((16, 16)), jnp.ones((8, 16))


@jax.jit
def update(w):
    error = jnp.tanh(x @ w) - 1.0
    return w - 0.01 * (x.T @ error)


for step in range(6000):
    w = update(w)
