"""Run history that records scalars, arrays and whole parameter trees."""
from numbers import Number

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from collections.abc import Mapping

from flax.core import freeze


class History:
    def __init__(self):
        self.iters, self.values = [], {}

    def _store(self, name, value):
        self.values.setdefault(name, []).append(value)

    def log(self, step, data, prefix=""):
        if not prefix:
            self.iters.append(step)
        for key, value in data.items():
            name = f"{prefix}{key}"
            if isinstance(value, Mapping):
                self.log(step, value, prefix=f"{name}/")
            elif isinstance(value, Number):
                self._store(name, float(value))
            else:
                self._store(name, np.asarray(value))

    def array(self, name):
        return np.stack(self.values[name])


class RBM(nn.Module):
    alpha: int = 2

    @nn.compact
    def __call__(self, s):
        h = nn.Dense(self.alpha * s.shape[-1])(s)
        return jnp.sum(jnp.logaddexp(h, -h), axis=-1)


def energy(params, model, spins):
    logpsi = model.apply({"params": params}, spins)
    target = -jnp.sum(spins[:, 1:] * spins[:, :-1], axis=-1)
    return jnp.mean((logpsi - logpsi.mean() + 0.3 * target) ** 2)


def optimise(model, steps=5):
    spins = 2.0 * jax.random.bernoulli(jax.random.key(0), 0.5, (64, 6)) - 1.0
    params = freeze(model.init(jax.random.key(1), spins)["params"])
    opt = optax.sgd(1e-2)
    state, history = opt.init(params), History()
    step = jax.jit(jax.value_and_grad(lambda p: energy(p, model, spins)))
    for i in range(steps):
        value, grads = step(params)
        updates, state = opt.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        history.log(i, {"energy": float(value), "params": params})
    return history


if __name__ == "__main__":
    history = optimise(RBM())
    print(sorted(history.values))
    print("kernel history", history.array("params/Dense_0/kernel").shape)
