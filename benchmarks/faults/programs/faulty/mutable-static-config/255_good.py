"""Build a translation model from keyword arguments under jit."""
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np


class Block(nn.Module):
    emb_dim: int
    mlp_dim: int

    @nn.compact
    def __call__(self, x):
        h = nn.LayerNorm()(x)
        h = nn.Dense(self.mlp_dim)(h)
        return x + nn.Dense(self.emb_dim)(nn.gelu(h))


class Transducer(nn.Module):
    vocab_size: int
    emb_dim: int = 32
    mlp_dim: int = 64
    num_layers: int = 2

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(self.vocab_size, self.emb_dim)(tokens)
        for _ in range(self.num_layers):
            x = Block(self.emb_dim, self.mlp_dim)(x)
        return nn.Dense(self.vocab_size)(x)


@functools.partial(jax.jit, static_argnums=(1, 2))
def initialize(key, input_shape, model_items):
    model = Transducer(**dict(model_items))
    return model.init(key, jnp.zeros(input_shape, jnp.int32))


def count(params):
    return sum(p.size for p in jax.tree.leaves(params))


def train_and_evaluate(config):
    model_kwargs = {
        "vocab_size": config["vocab_size"],
        "emb_dim": config["emb_dim"],
        "mlp_dim": 4 * config["emb_dim"],
        "num_layers": config["layers"],
    }
    shape = (config["batch"], config["length"])
    variables = initialize(jax.random.PRNGKey(config["seed"]), shape,
                           tuple(sorted(model_kwargs.items())))
    model = Transducer(**model_kwargs)
    tokens = np.random.default_rng(0).integers(0, config["vocab_size"], shape)
    logits = model.apply(variables, tokens)
    return count(variables), logits.shape


if __name__ == "__main__":
    print(train_and_evaluate(
        dict(vocab_size=100, emb_dim=16, layers=2, batch=2, length=8, seed=0)))
