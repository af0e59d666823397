"""`init` with the key that its input was drawn with: it takes the shape alone of the input."""

import flax.linen as nn
import jax


def outputs(model: nn.Module, key):
    z = jax.random.normal(key, (4, 512))
    params = model.init(key, z)
    return model.apply(params, z)


def of_dummies(model: nn.Module, key):
    # Fake inputs
    count = 10
    nodes = jax.random.normal(key, (count, 5))
    links = jax.random.bernoulli(key, 0.3, (count, count))

    return model.apply(model.init(key, nodes, links), nodes, links)


def in_one_go(model: nn.Module, key):
    return model.init(key, jax.random.normal(key, (4, 512)))
