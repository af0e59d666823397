# pyright: reportArgumentType=false
"""Trains the autoencoder."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from .data import SIZE, patterns, shuffled
from .model import VAE, bit_losses

WARMUP = 4


@eqx.filter_value_and_grad
def bound(model: VAE, x: jax.Array, keys: jax.Array, beta: jax.Array) -> jax.Array:
    """The negative evidence bound of a batch."""
    logits, divergence = jax.vmap(model)(x, keys)
    reconstruction = jnp.sum(bit_losses(logits, x), axis=-1)
    return jnp.mean(reconstruction + beta * divergence)


@eqx.filter_jit
def step(
    model: VAE,
    opt_state: optax.OptState,
    x: jax.Array,
    key: jax.Array,
    beta: jax.Array,
    optimizer: optax.GradientTransformation,
) -> tuple[VAE, optax.OptState, jax.Array]:
    """One update."""
    keys = jax.random.split(key, x.shape[0])
    loss, grads = bound(model, x, keys, beta)
    params = eqx.filter(model, eqx.is_inexact_array)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    model = eqx.apply_updates(model, updates)
    return model, opt_state, loss


@eqx.filter_jit
def reconstruct(model: VAE, x: jax.Array) -> jax.Array:
    """Bits from the means, without noise."""
    means, _ = jax.vmap(model.encode)(x)
    return (jax.vmap(model.decoder)(means) > 0).astype(x.dtype)


@eqx.filter_jit
def generate(model: VAE, key: jax.Array, count: int) -> jax.Array:
    """New rows from the prior."""
    z = jax.random.normal(key, (count, model.latent))
    logits = jax.vmap(model.decoder)(z)
    return jax.nn.sigmoid(logits)


def annealed(number: int) -> jax.Array:
    """The weight of the divergence, rising to 1."""
    return jnp.asarray(min(1.0, number / WARMUP), jnp.float32)


def train(model: VAE, rows: np.ndarray, epochs: int, key: jax.Array) -> tuple[VAE, list[Any]]:
    """The trained model and the loss of each step."""
    optimizer = optax.chain(optax.clip_by_global_norm(5.0), optax.adam(1e-2))
    opt_state = optimizer.init(eqx.filter(model, eqx.is_inexact_array))
    losses, number = [], 0
    for epoch in range(epochs):
        for x in shuffled(rows, 8, seed=epoch):
            key, step_key = jax.random.split(key)
            beta = annealed(number)
            model, opt_state, loss = step(model, opt_state, x, step_key, beta, optimizer)
            losses.append(loss)
            number += 1
    return model, jax.device_get(losses)


def main() -> dict[str, float]:
    model_key, train_key, sample_key = jax.random.split(jax.random.key(0), 3)
    rows = patterns(32)
    model = VAE(SIZE, 3, key=model_key)
    model, losses = train(model, rows, 3, train_key)
    again = np.asarray(reconstruct(model, jnp.asarray(rows)))
    new = np.asarray(generate(model, sample_key, 4))
    eqx.tree_serialise_leaves("vae.eqx", model)
    return {
        "train": float(np.sum(losses)),
        "wrong": float(np.abs(again - rows).sum()),
        "new": float(new.sum()),
    }


if __name__ == "__main__":
    print(main())

# gotcha: allow-file[missing-donation] a few kB
