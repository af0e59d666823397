"""Implicit Q-learning update with a run configuration."""
import dataclasses
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclasses.dataclass
class IQLConfig:
    discount: float = 0.99
    expectile: float = 0.7
    tau: float = 0.005
    batch_size: int = 64
    updates_per_call: int = 4
    hidden_dims: tuple = (32, 32)


class Transition(NamedTuple):
    obs: jax.Array
    reward: jax.Array
    next_obs: jax.Array


def init_mlp(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [jax.random.normal(k, (m, n)) / np.sqrt(m)
            for k, m, n in zip(keys, sizes[:-1], sizes[1:])]


def value(params, obs):
    h = obs
    for w in params[:-1]:
        h = jax.nn.relu(h @ w)
    return (h @ params[-1])[:, 0]


tx = optax.adam(3e-4)


@partial(jax.jit, static_argnames=("config",))
def update_n_times(params, target, opt_state, data, key, config):
    def body(carry, key):
        params, target, opt_state = carry
        idx = jax.random.randint(key, (config.batch_size,), 0, data.reward.shape[0])
        batch = jax.tree.map(lambda d: d[idx], data)

        def loss(p):
            diff = batch.reward + config.discount * value(target, batch.next_obs) - value(p, batch.obs)
            weight = jnp.where(diff > 0, config.expectile, 1 - config.expectile)
            return jnp.mean(weight * diff**2)

        l, grads = jax.value_and_grad(loss)(params)
        updates, opt_state = tx.update(grads, opt_state)
        params = optax.apply_updates(params, updates)
        return (params, optax.incremental_update(params, target, config.tau), opt_state), l

    keys = jax.random.split(key, config.updates_per_call)
    return jax.lax.scan(body, (params, target, opt_state), keys)


def train(config, data, calls=5):
    params = init_mlp(jax.random.PRNGKey(0), (data.obs.shape[1], *config.hidden_dims, 1))
    state = (params, params, tx.init(params))
    for i in range(calls):
        state, loss = update_n_times(*state, data, jax.random.PRNGKey(i), config=config)
    return float(loss.mean())


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    arr = lambda *s: jnp.asarray(rng.normal(size=s), jnp.float32)
    print("loss", train(IQLConfig(), Transition(arr(500, 5), arr(500), arr(500, 5))))
