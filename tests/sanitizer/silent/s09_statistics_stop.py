"""The running mean that the step gives back is not put into the state."""
# cause: never-moved

import jax
import jax.numpy as jnp
import numpy as np
import optax

rng = np.random.default_rng(0)
state = {"w": jnp.ones((4, 1)), "mean": jnp.full((4,), 0.5)}


@jax.jit
def step(state, x, y):
    def loss_of(w):
        return jnp.mean(((x - state["mean"]) @ w - y) ** 2)

    mean = 0.9 * state["mean"] + 0.1 * x.mean(0)
    return state | {"w": state["w"] - 0.1 * jax.grad(loss_of)(state["w"])}, mean


for _ in range(12):
    x = rng.normal(size=(16, 4)) + 1.0
    state, _ = step(state, x, x.sum(1, keepdims=True))
