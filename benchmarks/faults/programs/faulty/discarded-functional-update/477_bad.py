"""Kalman smoother over irregularly sampled data for a Matern-3/2 prior."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class SSM(NamedTuple):
    length: jax.Array
    variance: jax.Array

    def feedback(self):
        lam = jnp.sqrt(3.0) / self.length
        return jnp.array([[0.0, 1.0], [0.0, 0.0]]) + lam**2 * jnp.array(
            [[0.0, 0.0], [-1.0, 0.0]]
        ) + 2.0 * lam * jnp.array([[0.0, 0.0], [0.0, -1.0]])

    def stationary(self):
        lam = jnp.sqrt(3.0) / self.length
        return self.variance * jnp.array([[1.0, 0.0], [0.0, 0.0]]) + (
            self.variance * lam**2 * jnp.array([[0.0, 0.0], [0.0, 1.0]])
        )


def discretise(ssm, dts):
    P0 = ssm.stationary()
    As = jax.vmap(lambda dt: jax.scipy.linalg.expm(ssm.feedback() * dt))(dts)
    Qs = jax.vmap(lambda A: P0 - A @ P0 @ A.T)(As)
    Qs = Qs.set(0).set(P0)
    return As, Qs


def filter_loglik(ssm, dts, ys, noise):
    As, Qs = discretise(ssm, dts)
    h = jnp.array([1.0, 0.0])

    def body(carry, inp):
        m, P = carry
        A, Q, y = inp
        m, P = A @ m, A @ P @ A.T + Q
        s = h @ P @ h + noise
        k = P @ h / s
        r = y - h @ m
        ll = -0.5 * (jnp.log(2.0 * jnp.pi * s) + r**2 / s)
        return (m + k * r, P - jnp.outer(k, k) * s), ll

    init = (jnp.zeros(2), jnp.zeros((2, 2)))
    _, lls = jax.lax.scan(body, init, (As, Qs, ys))
    return lls.sum()


@jax.jit
def step(theta, dts, ys):
    def loss(t):
        ssm = SSM(jnp.exp(t[0]), jnp.exp(t[1]))
        return -filter_loglik(ssm, dts, ys, jnp.exp(t[2]))

    value, g = jax.value_and_grad(loss)(theta)
    return theta - 1e-2 * g / (1.0 + jnp.abs(g)), value


if __name__ == "__main__":
    ts = jnp.sort(jax.random.uniform(jax.random.key(0), (40,)) * 6.0)
    dts = jnp.diff(ts, prepend=ts[:1])
    ys = jnp.sin(ts) + 0.1 * jax.random.normal(jax.random.key(1), ts.shape)
    theta = jnp.array([0.0, 0.0, -3.0])
    for _ in range(20):
        theta, value = step(theta, dts, ys)
    print("negative log likelihood", value, theta)
