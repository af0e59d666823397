"""The evaluation applies dropout."""
# cause: dropout-in-evaluation

import jax
import jax.numpy as jnp
import numpy as np
import optax

rng = np.random.default_rng(0)


def model(params, x):
    return jnp.tanh(x @ params["hidden"]) @ params["out"]


params = {"hidden": jnp.asarray(rng.normal(size=(4, 8))), "out": jnp.asarray(rng.normal(size=(8, 1)))}


def dropout(x, key):
    return jnp.where(jax.random.bernoulli(key, 0.5, x.shape), 2.0 * x, 0.0)


def loss_of(params, x, y, key):
    return jnp.mean((jnp.tanh(dropout(x @ params["hidden"], key)) @ params["out"] - y) ** 2)



@jax.jit
def step(params, x, y, key):
    grads = jax.grad(loss_of)(params, x, y, key)
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, grads)


@jax.jit
def evaluate(params, x, y, key):
    return loss_of(params, x, y, key)


key = jax.random.key(0)
for _ in range(12):
    key, one, other = jax.random.split(key, 3)
    x = rng.normal(size=(16, 4))
    params = step(params, x, x.sum(1, keepdims=True), one)
    loss = evaluate(params, x, x.sum(1, keepdims=True), other)
