"""A model compiled for text alone; with a picture, whose size decides, it runs uncompiled."""

import jax
import jax.numpy as jnp
from flax import nnx


class Picture(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.embed = nnx.Linear(4, 8, rngs=rngs)

    def __call__(self, patches: jax.Array, grid: jax.Array) -> jax.Array:
        rows, columns = int(grid[0, 0]), int(grid[0, 1])
        return self.embed(patches).reshape(rows, columns, -1)


class Model(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.picture = Picture(rngs)
        self.words = nnx.Embed(100, 8, rngs=rngs)

    def __call__(
        self,
        tokens: jax.Array,
        patches: jax.Array | None = None,
        grid: jax.Array | None = None,
    ) -> jax.Array:
        x = self.words(tokens)
        if patches is not None and grid is not None:
            x = x + self.picture(patches, grid).mean((0, 1))
        return x


@jax.jit
def text_only(model: Model, tokens: jax.Array) -> jax.Array:
    return model(tokens)


def with_picture(model: Model, tokens: jax.Array, patches: jax.Array, grid: jax.Array):
    return model(tokens, patches, grid)


def run():
    model = Model(nnx.Rngs(0))
    print(text_only(model, jnp.ones((1, 3), int)))
    print(with_picture(model, jnp.ones((1, 3), int), jnp.ones((6, 4)), jnp.array([[2, 3]])))
