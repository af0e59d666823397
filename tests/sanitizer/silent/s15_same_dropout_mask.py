"""Each step is given the same key: the mask is always the same."""
# cause: same-key

import jax
import jax.numpy as jnp
import numpy as np
import optax

rng = np.random.default_rng(0)


def model(params, x):
    return jnp.tanh(x @ params["hidden"]) @ params["out"]


params = {"hidden": jnp.asarray(rng.normal(size=(4, 8))), "out": jnp.asarray(rng.normal(size=(8, 1)))}


def loss_of(params, x, y, key):
    hidden = x @ params["hidden"]
    hidden = jnp.where(jax.random.bernoulli(key, 0.5, hidden.shape), 2.0 * hidden, 0.0)
    return jnp.mean((jnp.tanh(hidden) @ params["out"] - y) ** 2)



@jax.jit
def step(params, x, y, key):
    grads = jax.grad(loss_of)(params, x, y, key)
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, grads)


class Trainer:
    def __init__(self):
        self.params, self.key = params, jax.random.key(0)

    def train(self, x, y):
        self.params = step(self.params, x, y, self.key)


trainer = Trainer()
for _ in range(12):
    x = rng.normal(size=(16, 4))
    trainer.train(x, x.sum(1, keepdims=True))
