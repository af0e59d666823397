"""Small vision transformer with stochastic depth that grows over the layers."""
import dataclasses

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclasses.dataclass(frozen=True)
class ViTConfig:
    patch: int = 4
    width: int = 16
    depth: int = 3
    classes: int = 5
    stochastic_depth: float = 0.2


class DropPath(nn.Module):
    rate: float

    @nn.compact
    def __call__(self, x, train):
        if self.rate == 0.0 or not train:
            return x
        keep = 1.0 - self.rate
        mask = jax.random.bernoulli(self.make_rng("dropout"), keep, (x.shape[0], 1, 1))
        return x * mask / keep


class Block(nn.Module):
    width: int
    drop_rate: float

    @nn.compact
    def __call__(self, x, train):
        y = nn.LayerNorm()(x)
        y = nn.Dense(self.width)(nn.gelu(nn.Dense(2 * self.width)(y + y.mean(1, keepdims=True))))
        return x + DropPath(self.drop_rate)(y, train)


class ViT(nn.Module):
    cfg: ViTConfig

    @nn.compact
    def __call__(self, images, train=False):
        c = self.cfg
        x = nn.Conv(c.width, (c.patch, c.patch), strides=(c.patch, c.patch))(images)
        x = x.reshape(x.shape[0], -1, c.width)
        rates = jnp.linspace(0.0, c.stochastic_depth, c.depth)
        for i in range(c.depth):
            x = Block(c.width, rates[i])(x, train)
        return nn.Dense(c.classes)(x.mean(1))


def initialize_model(model, rng, shape):
    @jax.jit
    def _init(rng):
        return model.init({"params": rng}, jnp.zeros(shape))["params"]

    return _init(rng)


def main():
    model = ViT(ViTConfig())
    params = initialize_model(model, jax.random.key(0), (1, 16, 16, 3))
    rng = np.random.default_rng(0)
    x = rng.normal(size=(8, 16, 16, 3)).astype(np.float32)
    y = rng.integers(0, 5, 8)

    @jax.jit
    def loss_fn(params, key):
        logits = model.apply({"params": params}, x, train=True, rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    print("loss", float(loss_fn(params, jax.random.key(1))))


if __name__ == "__main__":
    main()
