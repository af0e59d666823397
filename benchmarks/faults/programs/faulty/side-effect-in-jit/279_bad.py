from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


class IPReservoir:
    """Leaky reservoir with intrinsic plasticity of gain and bias."""

    def __init__(self, units, inputs, lr=1.0, mu=0.0, sigma=0.3, seed=0):
        rng = np.random.default_rng(seed)
        self.W = jnp.asarray(rng.normal(size=(units, units)) * 0.9 / np.sqrt(units))
        self.Win = jnp.asarray(rng.normal(size=(units, inputs)))
        self.a = jnp.ones(units)
        self.b = jnp.zeros(units)
        self.lr, self.mu, self.sigma = lr, mu, sigma

    @partial(jax.jit, static_argnums=(0,))
    def _step(self, state, x):
        pre = self.W @ state + self.Win @ x
        return jnp.tanh(self.a * pre + self.b), pre

    def _plasticity(self, pre, out):
        m, s = self.mu, self.sigma
        db = -self.lr * (-m / s**2 + out / s**2 * (2 * s**2 + 1 - out**2 + m * out))
        da = self.lr / self.a + db * pre
        return da, db

    def fit(self, xs, epochs=2):
        for _ in range(epochs):
            state = jnp.zeros(self.a.shape)
            for x in xs:
                state, pre = self._step(state, x)
                da, db = self._plasticity(pre, state)
                self.a = self.a + 1e-3 * da
                self.b = self.b + 1e-3 * db
        return self

    def run(self, xs):
        state, states = jnp.zeros(self.a.shape), []
        for x in xs:
            state, _ = self._step(state, x)
            states.append(state)
        return jnp.stack(states)


def main():
    xs = jnp.sin(jnp.linspace(0, 12, 60))[:, None]
    node = IPReservoir(20, 1)
    before = node.run(xs)
    after = node.fit(xs).run(xs)
    print("std before", float(before.std()), "after", float(after.std()))
    print("gain changed by", float(jnp.abs(node.a - 1).max()))


if __name__ == "__main__":
    main()
