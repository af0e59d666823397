"""Nested-sampling style chains: one sampler object per chain."""
from collections import namedtuple

import jax
import jax.numpy as jnp
import numpy as np

ChainState = namedtuple("ChainState", ["x", "logl", "scale", "accepted", "key"])


def log_likelihood(x):
    return -0.5 * jnp.sum(((x - 0.3) / 0.1) ** 2)


@jax.jit
def advance(state):
    key, k1, k2 = jax.random.split(state.key, 3)
    proposal = state.x + state.scale * jax.random.normal(k1, state.x.shape)
    logl = log_likelihood(proposal)
    accept = jnp.log(jax.random.uniform(k2)) < logl - state.logl
    scale = state.scale * jnp.where(accept, 1.05, 0.97)
    return state._replace(
        x=jnp.where(accept, proposal, state.x),
        logl=jnp.where(accept, logl, state.logl),
        scale=scale.astype(jnp.float32),
        accepted=state.accepted + accept.astype(jnp.int32),
        key=key)


class ChainSampler:
    def __init__(self, ndim, seed):
        self.ndim = ndim
        self.seed = seed

    def init(self):
        key, sub = jax.random.split(jax.random.PRNGKey(self.seed))
        x = jax.random.uniform(sub, (self.ndim,))
        return ChainState(x, log_likelihood(x), jnp.float32(0.1), jnp.int32(0), key)

    def run(self, steps):
        state, trace = self.init(), []
        for _ in range(steps):
            state = advance(state)
            trace.append(state.x)
        return np.asarray(jnp.stack(trace)), int(state.accepted) / steps


def run_chains(n_chains=5, steps=50):
    means = []
    for seed in range(n_chains):
        trace, rate = ChainSampler(4, seed).run(steps)
        means.append(trace[steps // 2:].mean())
    return means


if __name__ == "__main__":
    print(np.round(run_chains(), 2), "programs", advance._cache_size())
