"""Local-global MCMC: a python loop alternates two jitted kernels (no outer scan)."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


def log_prob(x):
    left = -0.5 * jnp.sum((x + 2.0) ** 2)
    right = -0.5 * jnp.sum((x - 2.0) ** 2)
    return jnp.logaddexp(left, right)


@functools.partial(jax.jit, static_argnames="num_steps")
def local_sampler(positions, key, step_size, num_steps):
    def one(x, key):
        def body(x, k):
            k1, k2 = jax.random.split(k)
            prop = x + step_size * jax.random.normal(k1, x.shape)
            ok = jnp.log(jax.random.uniform(k2)) < log_prob(prop) - log_prob(x)
            x = jnp.where(ok, prop, x)
            return x, x

        return jax.lax.scan(body, x, jax.random.split(key, num_steps))

    return jax.vmap(one)(positions, jax.random.split(key, positions.shape[0]))


@jax.jit
def global_proposal(positions, key, mean, std):
    k1, k2 = jax.random.split(key)
    prop = mean + std * jax.random.normal(k1, positions.shape)

    def log_q(x):
        return -0.5 * jnp.sum(((x - mean) / std) ** 2, axis=-1)

    logp = jax.vmap(log_prob)
    ratio = logp(prop) - logp(positions) + log_q(positions) - log_q(prop)
    ok = jnp.log(jax.random.uniform(k2, ratio.shape)) < ratio
    return jnp.where(ok[:, None], prop, positions), ok.mean()


def sample(num_loops, num_chains=16, dim=2, local_steps=20, seed=0):
    key = jax.random.key(seed)
    key, sub = jax.random.split(key)
    positions = jax.random.normal(sub, (num_chains, dim))
    chains, rates = [], []
    for _ in range(num_loops):
        key, k_local, k_global = jax.random.split(key, 3)
        positions, trace = local_sampler(positions, k_local, 0.5, local_steps)
        mean, std = trace.mean((0, 1)), trace.std((0, 1)) + 0.5
        positions, rate = global_proposal(positions, k_global, mean, std)
        chains.append(np.asarray(trace))
        rates.append(rate)
    return np.concatenate(chains, axis=1), np.asarray(jnp.stack(rates))


if __name__ == "__main__":
    chains, rates = sample(num_loops=6)
    print(chains.shape, "global acceptance", rates.mean())
