"""A training loop as it should be: nothing is to be said about it."""
# cause: 

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
    keep = jax.random.bernoulli(key, 0.8, hidden.shape)
    return jnp.mean((jnp.tanh(jnp.where(keep, hidden / 0.8, 0.0)) @ params["out"] - y) ** 2)


schedule = optax.cosine_decay_schedule(1e-2, 1000)
optimizer = optax.chain(optax.clip_by_global_norm(3.5), optax.adamw(schedule))
opt_state = optimizer.init(params)


@jax.jit
def step(params, opt_state, x, y, key):
    loss, grads = jax.value_and_grad(loss_of)(params, x, y, key)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


@jax.jit
def evaluate(params, x, y):
    return jnp.mean((model(params, x) - y) ** 2)


key, data = jax.random.key(0), rng.normal(size=(64, 4))
for epoch in range(4):
    for rows in rng.permutation(64).reshape(4, 16):
        key, now = jax.random.split(key)
        x = data[rows]
        params, opt_state, loss = step(params, opt_state, x, x.sum(1, keepdims=True), now)
    score = evaluate(params, data, data.sum(1, keepdims=True))
