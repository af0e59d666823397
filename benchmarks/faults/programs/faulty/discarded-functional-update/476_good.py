"""Pendulum trajectories for a training set, symplectic Euler."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Trajectory(NamedTuple):
    t: jax.Array
    x: jax.Array
    v: jax.Array


def acceleration(x, c):
    return -c * jnp.sin(x)


def integrate(x0, v0, dt, n, c=4.0 * jnp.pi**2):
    t = jnp.arange(n) * dt
    tab_x = jnp.zeros(n)
    tab_v = jnp.zeros(n)

    def body(i, carry):
        x, v, tab_x, tab_v = carry
        x = x + v * dt
        v = v + acceleration(x, c) * dt
        return x, v, tab_x.at[i].set(x), tab_v.at[i].set(v)

    x, v, tab_x, tab_v = jax.lax.fori_loop(0, n, body, (x0, v0, tab_x, tab_v))
    return Trajectory(t, tab_x, tab_v)


def energy(traj, c=4.0 * jnp.pi**2):
    return 0.5 * traj.v**2 + c * (1.0 - jnp.cos(traj.x))


@jax.jit
def make_dataset(angles):
    trajs = jax.vmap(lambda a: integrate(a, jnp.zeros(()), 1e-3, 200))(angles)
    inputs = jnp.stack([trajs.x[:, :-1], trajs.v[:, :-1]], axis=-1)
    targets = jnp.stack([trajs.x[:, 1:], trajs.v[:, 1:]], axis=-1)
    return inputs, targets, energy(trajs)


def fit_linear(inputs, targets):
    x = inputs.reshape(-1, 2)
    y = targets.reshape(-1, 2)
    w, *_ = jnp.linalg.lstsq(x, y)
    return w


if __name__ == "__main__":
    angles = jnp.linspace(0.1, 1.5, 6)
    inputs, targets, e = make_dataset(angles)
    print("one step matrix\n", fit_linear(inputs, targets))
    print("mean energy per trajectory", e.mean(axis=1))
