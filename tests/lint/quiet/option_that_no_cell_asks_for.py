# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: light
# ---

"""A picture made piece by piece: the noise is for training alone, and no caller here trains."""

import jax
import jax.numpy as jnp


def march(key, rays, count, jitter=False):
    depths = jnp.linspace(2.0, 6.0, count)
    if jitter:
        depths += jax.random.uniform(key, (count,))
    return rays[:, None] * depths


def one_piece(key, rays, jitter, count):
    return march(key, rays, count=count, jitter=jitter)


one_piece = jax.jit(one_piece, static_argnums=(2, 3))


def picture(key, rays, count, jitter):
    pieces = []
    for part in jnp.split(rays, 64):
        pieces.append(one_piece(key, part, jitter, count))
    return jnp.concatenate(pieces)


print(picture(jax.random.key(0), jnp.ones(4096), 8, jitter=False))
