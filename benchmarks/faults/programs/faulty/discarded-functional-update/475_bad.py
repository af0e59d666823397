"""Echo state network with excitatory and inhibitory units and a delayed read-out."""
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class ReservoirState:
    x: jax.Array
    buffer: jax.Array


jax.tree_util.register_dataclass(ReservoirState, ["x", "buffer"], [])


class Reservoir:
    def __init__(self, units, inputs, delay, inhibitory, key):
        k1, k2 = jax.random.split(key)
        w = jnp.abs(jax.random.normal(k1, (units, units)))
        n_inh = int(inhibitory * units)
        w = w.at[:, :n_inh].multiply(-1.0)
        self.W = 0.9 * w / jnp.abs(jnp.linalg.eigvals(w)).max()
        self.Win = jax.random.uniform(k2, (units, inputs), minval=-1.0, maxval=1.0)
        self.units, self.delay = units, delay

    def initial(self):
        return ReservoirState(jnp.zeros(self.units), jnp.zeros((self.delay, self.units)))

    def step(self, state, u, t):
        delayed = state.buffer[t % self.delay]
        x = jnp.tanh(self.W @ state.x + self.Win @ u + 0.1 * delayed)
        buffer = state.buffer
        buffer.at[t % self.delay].set(x)
        return replace(state, x=x, buffer=buffer), jnp.concatenate([x, delayed])

    def run(self, us):
        def body(state, inp):
            return self.step(state, *inp)

        return jax.lax.scan(body, self.initial(), (us, jnp.arange(len(us))))


def ridge(features, targets, lam=1e-4):
    g = features.T @ features + lam * jnp.eye(features.shape[1])
    return jnp.linalg.solve(g, features.T @ targets)


def experiment(key, length=400, lag=12):
    k1, k2 = jax.random.split(key)
    us = jax.random.uniform(k1, (length, 1), minval=-1.0, maxval=1.0)
    res = Reservoir(units=20, inputs=1, delay=lag, inhibitory=0.2, key=k2)
    _, feats = jax.jit(res.run)(us)
    target = jnp.roll(us[:, 0], lag)
    w = ridge(feats[50:300], target[50:300])
    pred = feats[300:] @ w
    return jnp.corrcoef(pred, target[300:])[0, 1], jnp.abs(feats[:, 20:]).max()


if __name__ == "__main__":
    corr, delayed = experiment(jax.random.key(0))
    print("memory correlation at the delay:", float(corr), "largest delayed feature", float(delayed))
