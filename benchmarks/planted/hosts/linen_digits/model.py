"""The network, its loss and its optimizer."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class Classifier(nn.Module):
    """Two dense layers with batch normalisation and dropout between them."""

    width: int
    classes: int

    @nn.compact
    def __call__(self, x: jax.Array, train: bool) -> jax.Array:
        x = nn.Dense(self.width)(x)
        x = nn.BatchNorm(use_running_average=not train)(x)
        x = nn.relu(x)
        x = nn.Dropout(0.1, deterministic=not train)(x)
        return nn.Dense(self.classes)(x)


def cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """Mean loss of a batch."""
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    return losses.mean()


def accuracy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    return jnp.mean(jnp.argmax(logits, axis=-1) == labels)


def make_optimizer(rate: float, steps: int) -> optax.GradientTransformation:
    """Clipped gradients, then AdamW with a falling learning rate."""
    schedule = optax.linear_schedule(rate, 0.0, steps)
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule))
