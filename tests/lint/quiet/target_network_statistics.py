"""The target network's statistics come from the network that is trained, as its weights do."""

import jax
import jax.numpy as jnp
from flax import linen as nn


class Critic(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.BatchNorm(use_running_average=not train)(nn.Dense(8)(x))
        return nn.Dense(1)(x)


critic = Critic()


@jax.jit
def loss(params, stats, target_state, x, y):
    wanted, _ = critic.apply(
        {"params": target_state.params, "batch_stats": target_state.batch_stats},
        y, train=True, mutable=["batch_stats"],
    )  # fmt: skip
    value, updated = critic.apply(
        {"params": params, "batch_stats": stats}, x, train=True, mutable=["batch_stats"]
    )
    return jnp.mean((value - jax.lax.stop_gradient(wanted)) ** 2), updated["batch_stats"]
