"""A small network that reads a replay and guesses how it goes on."""

import flax.linen as nn
import jax.numpy as jnp

from data import EVENTS, GRID, NONE


class Forecaster(nn.Module):
    """For every place the next event and the seconds until it; for every replay who wins."""

    width: int = 64

    @nn.compact
    def __call__(self, batch, terrain, train):
        real = batch.events != NONE
        x = nn.Embed(len(EVENTS), self.width, name="events")(batch.events)
        x = x + nn.Dense(self.width, use_bias=False, name="gaps")(jnp.log1p(batch.gaps)[..., None])
        for dilation in (1, 3):
            y = nn.Conv(self.width, (3,), padding="CAUSAL", kernel_dilation=dilation)(x)
            x = x + nn.relu(y)
        x = nn.Dropout(0.1, deterministic=not train)(x)
        following = nn.Dense(len(EVENTS), name="following")(x)
        seconds = 10 * nn.softplus(nn.Dense(1, name="seconds")(x)[..., 0])
        place = nn.Dense(8, use_bias=False, name="terrain")(terrain[batch.terrain] / GRID)
        y = jnp.concatenate([summary(x, real), place], axis=1)
        winner = nn.Dense(2, name="winner")(y)
        winner = nn.softmax(winner)
        return following, seconds, winner


def summary(x, real):
    """The mean of each feature over a replay, and how far it is spread."""
    weight = real[..., None] / jnp.maximum(real.sum(1), 1)[:, None, None]
    mean = (x * weight).sum(1)
    variance = ((x - mean[:, None]) ** 2 * weight).sum(1)
    spread = jnp.where(variance > 0, jnp.sqrt(variance), 0.0)
    return jnp.concatenate([mean, spread], axis=1)
