"""Data-parallel logistic regression with a loss that is reduced across devices."""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

from functools import partial

import jax
import jax.numpy as jnp
import optax

AXIS = "batch"


def init_params(dim):
    return {"w": jnp.zeros(dim), "b": jnp.zeros(())}


def local_loss(params, x, y):
    logits = x @ params["w"] + params["b"]
    return optax.sigmoid_binary_cross_entropy(logits, y).mean()


def make_train_step(opt):
    @partial(jax.pmap, axis_name=AXIS)
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(local_loss)(params, x, y)
        loss, grads = jax.lax.pmean((loss, grads), AXIS)
        updates, opt_state = opt.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step


def replicate(tree):
    n = jax.local_device_count()
    return jax.tree.map(lambda a: jnp.broadcast_to(a, (n,) + jnp.shape(a)), tree)


def shard(x):
    n = jax.local_device_count()
    return x.reshape((n, -1) + x.shape[1:])


def make_data(key, n, dim):
    kx, kn = jax.random.split(key)
    x = jax.random.normal(kx, (n, dim)) + jnp.linspace(-1.0, 1.0, n)[:, None]
    y = (x[:, 0] - 0.5 * x[:, 1] + 0.3 * jax.random.normal(kn, (n,)) > 0).astype(jnp.float32)
    return x, y


def train(steps=30, dim=5):
    opt = optax.adam(5e-2)
    params = init_params(dim)
    params, opt_state = replicate(params), replicate(opt.init(params))
    step = make_train_step(opt)
    for i in range(steps):
        x, y = make_data(jax.random.key(i), 64, dim)
        params, opt_state, loss = step(params, opt_state, shard(x), shard(y))
    return params, loss


if __name__ == "__main__":
    params, loss = train()
    spread = jax.tree.map(lambda a: float(jnp.ptp(a, axis=0).max()), params)
    print("loss", float(loss[0]), "largest difference between replicas", spread)
