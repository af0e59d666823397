"""Parameters as a list of layers, and what is computed from them."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp

Layers = list[tuple[jax.Array, jax.Array]]


def init(key: jax.Array, sizes: tuple[int, ...]) -> Layers:
    """Random layers."""
    layers = []
    for fan_in, fan_out in itertools.pairwise(sizes):
        key, layer_key = jax.random.split(key)
        kernel = jax.random.normal(layer_key, (fan_in, fan_out)) / jnp.sqrt(fan_in)
        layers.append((kernel, jnp.zeros(fan_out)))
    return layers


def forward(layers: Layers, x: jax.Array) -> jax.Array:
    """Logits of the actions."""
    for kernel, bias in layers[:-1]:
        x = jnp.tanh(x @ kernel + bias)
    kernel, bias = layers[-1]
    return x @ kernel + bias


def returns(rewards: jax.Array, discount: float) -> jax.Array:
    """Discounted sums of what follows."""

    def add(after: jax.Array, reward: jax.Array) -> tuple[jax.Array, jax.Array]:
        total = reward + discount * after
        return total, total

    _, totals = jax.lax.scan(add, jnp.zeros(()), rewards, reverse=True)
    return totals


def centred(values: jax.Array, mask: jax.Array) -> jax.Array:
    """Mean 0, deviation 1, over what the mask keeps."""
    count = jnp.maximum(mask.sum(), 1.0)
    mean = (values * mask).sum() / count
    spread = (((values - mean) * mask) ** 2).sum() / count
    return (values - mean) * mask * jax.lax.rsqrt(spread + 1e-6)


def policy_loss(
    layers: Layers, seen: jax.Array, actions: jax.Array, rewards: jax.Array, mask: jax.Array
) -> jax.Array:
    log_probs = jax.nn.log_softmax(forward(layers, seen))
    picked = jnp.take_along_axis(log_probs, actions[:, None], axis=1)[:, 0]
    advantage = centred(returns(rewards, 0.95), mask)
    return -jnp.sum(picked * advantage * mask)
