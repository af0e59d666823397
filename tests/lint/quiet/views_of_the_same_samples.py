"""Two methods that show the same draw, and two sides of a product."""

import equinox as eqx
import jax
import jax.numpy as jnp


class Flow(eqx.Module):
    scale: jax.Array

    def sample(self, key):
        return self.scale * jax.random.normal(key, (3,))

    def sample_flow(self, key):
        x = jax.random.normal(key, (3,))
        return jnp.stack([x, self.scale * x])


def show(flow: Flow, keys):
    samples = jax.vmap(flow.sample)(keys)
    paths = jax.vmap(flow.sample_flow)(keys)
    return samples, paths


def gaussian_kernel(key, x, rank):
    directions = jax.random.normal(key, (x.shape[-1], rank))
    return jnp.exp(x @ directions)


def low_rank(key, x, y, rank):
    left = gaussian_kernel(key, x, rank)
    right = gaussian_kernel(key, y, rank)
    return left @ right.T
