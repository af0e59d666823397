"""Two devices, each with its own batch; the gradients are not averaged."""
# cause: replicas-drift

# devices: 2
import jax
import jax.numpy as jnp
import numpy as np
import optax

rng = np.random.default_rng(0)
params = {"w": jnp.full((2, 4, 1), 0.5)}  # a copy for each device


@jax.pmap
def step(params, x, y):
    grads = jax.grad(lambda p: jnp.mean((x @ p["w"] - y) ** 2))(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


for _ in range(12):
    x = rng.normal(size=(2, 16, 4))
    params = step(params, x, x.sum(2, keepdims=True))
