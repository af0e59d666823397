"""An observation that only `init` is given, for its shape: the model may have the same key."""

import flax.linen as nn
import jax
import jax.numpy as jnp


class Env:
    def reset(self, key):
        return jax.random.normal(key, (4,)), 0


def create(key, env, network: nn.Module):
    obs, _ = env.reset(key)
    obs = jax.tree.map(lambda x: jnp.repeat(x[None], 8, axis=0), obs)
    inputs = (obs, jnp.zeros(8))
    return network.init(key, inputs)


create(jax.random.key(0), Env(), nn.Dense(3))
