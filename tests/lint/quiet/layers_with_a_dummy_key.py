"""The second layer's weights are made of the first's: its key is drawn from by nobody."""

import equinox as eqx
import jax
import jax.numpy as jnp


class Cell(eqx.Module):
    inner: eqx.nn.Linear
    both: eqx.nn.Linear

    def __init__(self, size, key):
        one, two = jax.random.split(key)
        self.inner = eqx.nn.Linear(size, size, key=one)
        outer = eqx.nn.Linear(size, size, key=two)
        both = eqx.nn.Linear(2 * size, size, key=one)  # a dummy key
        weight = jnp.concatenate([self.inner.weight, outer.weight], axis=1)
        self.both = eqx.tree_at(lambda layer: layer.weight, both, weight)
