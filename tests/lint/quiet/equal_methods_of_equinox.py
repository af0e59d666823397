"""`eqx.filter_jit` takes a bound method for a tree: an equal one is the same program."""

import equinox as eqx
import jax


class Model(eqx.Module):
    weight: jax.Array

    def precompute(self, x):
        return self.weight * x


def precomputed(weight, x):
    model = Model(weight)
    return eqx.filter_jit(model.precompute)(x)


def fit(weights, x):
    for weight in weights:
        x = precomputed(weight, x)
    return x
