import flax.linen as nn
import jax.numpy as jnp
from flax import nnx


class Block(nn.Module):
    width: int
    dtype: jnp.dtype

    @nn.compact
    def __call__(self, x):
        h = nn.relu(nn.Conv(self.width, (3, 3), dtype=self.dtype)(x))
        h = nn.Conv(self.width, (3, 3), dtype=self.dtype)(h)
        if x.shape[-1] != self.width:
            x = nn.Conv(self.width, (1, 1))(x)  # ! layer-without-dtype
        x = x + h
        return x


class Whole(nn.Module):
    dtype: jnp.dtype

    @nn.compact
    def __call__(self, x):
        h = nn.Dense(8, dtype=self.dtype)(x)
        h = nn.Dense(8, True, self.dtype)(h)
        h = nn.LayerNorm()(h)
        return x + nn.Dense(8, dtype=self.dtype)(h)


class WithHead(nn.Module):
    dtype: jnp.dtype

    @nn.compact
    def __call__(self, x):
        x = nn.Embed(8, 8)(x)
        x = nn.Dense(8, dtype=self.dtype)(x)
        x = nn.Dense(8, dtype=self.dtype)(x)
        value = nn.Dense(1)(x)
        x = nn.Dense(4)(x).astype(self.dtype) + value
        return x, nn.Dense(4, name="head")(x)


class Returned(nn.Module):
    dtype: jnp.dtype

    @nn.compact
    def __call__(self, x):
        x = nn.Dense(8, dtype=self.dtype)(x)
        x = nn.Dense(8, dtype=self.dtype)(x)
        return nn.Dense(8)(x)


class OneOfTwo(nn.Module):
    dtype: jnp.dtype

    @nn.compact
    def __call__(self, x):
        h = nn.Dense(8, dtype=self.dtype)(x)
        return x + h * nn.Dense(8)(x)


class Meant(nn.Module):
    dtype: jnp.dtype

    @nn.compact
    def __call__(self, x):
        h = nn.Dense(8, dtype=self.dtype)(x)
        h = nn.Dense(8, dtype=self.dtype)(h)
        g = nn.Dense(8, dtype=jnp.float32)(h)
        return x + h * g


class OfNnx(nnx.Module):
    def __init__(self, width, dtype, rngs):
        self.up = nnx.Linear(width, width, dtype=dtype, rngs=rngs)
        self.mid = nnx.Linear(width, width, rngs=rngs)  # ! layer-without-dtype
        self.down = nnx.Linear(width, width, dtype=dtype, rngs=rngs)
        self.out = nnx.Linear(width, 1, rngs=rngs)


class Standardized(nn.Module):
    width: int
    dtype: jnp.dtype = jnp.float32

    @nn.compact
    def __call__(self, x):
        return nn.Conv(self.width, (3, 3), dtype=self.dtype)(x.astype(self.dtype))


class Rounded(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        return nn.Conv(self.width, (3, 3), dtype=x.dtype)(x)


class OfOwnModules(nn.Module):
    width: int
    dtype: jnp.dtype = jnp.float32

    @nn.compact
    def __call__(self, x, time):
        h = Standardized(self.width, name="conv_0")(x)  # ! layer-without-dtype
        h = nn.GroupNorm(4, dtype=self.dtype)(h)
        h = h + nn.Dense(self.width, dtype=self.dtype)(time)
        h = Standardized(self.width, self.dtype)(h)
        h = Rounded(self.width)(h)
        return x + Standardized(self.width, dtype=self.dtype)(h)
