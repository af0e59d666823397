"""Encoder, decoder and the bound."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp


class VAE(eqx.Module):
    """Bits to a few normal variables and back."""

    encoder: eqx.nn.MLP
    decoder: eqx.nn.MLP
    latent: int = eqx.field(static=True)

    def __init__(self, size: int, latent: int, *, key: jax.Array) -> None:
        encoder_key, decoder_key = jax.random.split(key)
        self.encoder = eqx.nn.MLP(size, 2 * latent, 16, 1, key=encoder_key)
        self.decoder = eqx.nn.MLP(latent, size, 16, 1, key=decoder_key)
        self.latent = latent

    def encode(self, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Mean and deviation."""
        hidden = self.encoder(x)
        return hidden[: self.latent], jax.nn.softplus(hidden[self.latent :]) + 1e-4

    def __call__(self, x: jax.Array, key: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Logits of the bits, and the divergence from the prior."""
        mean, deviation = self.encode(x)
        noise = jax.random.normal(key, mean.shape)
        logits = self.decoder(mean + deviation * noise)
        divergence = 0.5 * jnp.sum(mean**2 + deviation**2 - 1 - 2 * jnp.log(deviation))
        return logits, divergence


def bit_losses(logits: jax.Array, bits: jax.Array) -> jax.Array:
    """Binary cross entropy of each bit."""
    return jnp.maximum(logits, 0) - logits * bits + jnp.log1p(jnp.exp(-jnp.abs(logits)))
