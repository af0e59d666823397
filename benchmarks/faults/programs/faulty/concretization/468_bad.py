"""Hierarchical tadpole survival model sampled with a small HMC."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.special import gammaln
from jax.scipy.stats import norm


class Data(NamedTuple):
    tank: jax.Array
    size: jax.Array
    density: jax.Array
    survived: jax.Array


def unpack(z, data):
    n_tank = data.tank.shape[0]
    a = z[:n_tank]
    n_sizes = jnp.unique(data.size).size
    s = z[n_tank : n_tank + n_sizes]
    return a, s, z[-2], jnp.exp(z[-1])


def log_binomial(k, n, logits):
    comb = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return comb + k * jax.nn.log_sigmoid(logits) + (n - k) * jax.nn.log_sigmoid(-logits)


def potential(z, data):
    a, s, a_bar, sigma = unpack(z, data)
    lp = norm.logpdf(a, a_bar, sigma).sum() + norm.logpdf(s, 0.0, 0.5).sum()
    lp += norm.logpdf(a_bar, 0.0, 1.5) - sigma + z[-1]
    return -lp - log_binomial(data.survived, data.density, a[data.tank] + s[data.size]).sum()


def make_kernel(data, eps=0.02, leaps=8):
    grad_u = jax.jit(jax.grad(potential))
    u = jax.jit(potential)

    def kernel(key, z):
        k1, k2 = jax.random.split(key)
        p = jax.random.normal(k1, z.shape)
        h0 = u(z, data) + 0.5 * p @ p
        q = z
        p = p - 0.5 * eps * grad_u(q, data)
        for i in range(leaps):
            q = q + eps * p
            p = p - (eps if i < leaps - 1 else 0.5 * eps) * grad_u(q, data)
        h1 = u(q, data) + 0.5 * p @ p
        accept = jnp.log(jax.random.uniform(k2)) < h0 - h1
        return jnp.where(accept, q, z), accept

    return kernel


def main():
    tank = jnp.arange(12)
    size = tank % 2
    density = jnp.full((12,), 10.0)
    survived = jax.random.binomial(jax.random.key(1), density, 0.7)
    data = Data(tank, size, density, survived)
    kernel = make_kernel(data)
    z = jnp.zeros(12 + 2 + 2)
    for key in jax.random.split(jax.random.key(0), 20):
        z, accept = kernel(key, z)
    print("a_bar", z[-2], "last accepted", accept)


if __name__ == "__main__":
    main()
