"""Echo-state reservoir with intrinsic plasticity."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


class Reservoir:
    def __init__(self, units, spectral_radius=0.9, leak=0.3, seed=0):
        rng = np.random.default_rng(seed)
        W = rng.normal(size=(units, units))
        W *= spectral_radius / np.abs(np.linalg.eigvals(W)).max()
        self.W = jnp.asarray(W, jnp.float32)
        self.Win = jnp.asarray(rng.normal(size=(units, 1)), jnp.float32)
        self.leak = leak
        self.units = units


class IPReservoir(Reservoir):
    def __init__(self, units, mu=0.0, sigma=0.2, learning_rate=5e-3, **kwargs):
        super().__init__(units, **kwargs)
        self.mu, self.sigma, self.lr = mu, sigma, learning_rate
        self.a = jnp.ones(units)
        self.b = jnp.zeros(units)

    @partial(jax.jit, static_argnums=(0,))
    def _step(self, state, u):
        pre = self.W @ state + self.Win @ u
        out = jnp.tanh(self.a * pre + self.b)
        return (1 - self.leak) * state + self.leak * out, pre

    def _ip_rule(self, pre, y):
        m, s2 = self.mu, self.sigma**2
        delta_b = -self.lr * (-m / s2 + y / s2 * (2 * s2 + 1 - y**2 + m * y))
        delta_a = self.lr / self.a + delta_b * pre
        return delta_a, delta_b

    def partial_fit(self, series):
        state = jnp.zeros(self.units)
        for u in series:
            state, pre = self._step(state, u)
            delta_a, delta_b = self._ip_rule(pre, state)
            self.a = self.a + delta_a
            self.b = self.b + delta_b
        return self

    def run(self, series):
        state, states = jnp.zeros(self.units), []
        for u in series:
            state, _ = self._step(state, u)
            states.append(state)
        return np.asarray(jnp.stack(states))


if __name__ == "__main__":
    series = np.sin(np.linspace(0, 20, 150))[:, None].astype(np.float32)
    node = IPReservoir(units=50)
    before = node.run(series).std()
    node.partial_fit(series).partial_fit(series)
    print("std before", before, "after", node.run(series).std())
