"""FIRE minimisation of a soft-sphere packing."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class FireState(NamedTuple):
    position: jax.Array
    velocity: jax.Array
    force: jax.Array
    dt: jax.Array
    alpha: jax.Array
    n_pos: jax.Array


def soft_sphere_energy(R, box, sigma=1.0):
    n = R.shape[0]
    d = R[:, None] - R[None]
    d = d - box * jnp.round(d / box)
    r = jnp.sqrt(jnp.sum(d**2, -1) + jnp.eye(n))
    overlap = jnp.where(jnp.eye(n) > 0, 0.0, jnp.maximum(0.0, 1.0 - r / sigma))
    return 0.25 * jnp.sum(overlap**2)


def fire_descent(energy, dt_start=0.1, dt_max=0.4, n_min=5, f_inc=1.1, f_dec=0.5, f_alpha=0.99):
    force_fn = lambda R: -jax.grad(energy)(R)

    def init(R):
        V = jnp.zeros_like(R)
        return FireState(R, V, force_fn(R), jnp.float32(dt_start), jnp.float32(0.1), jnp.int32(0))

    def apply(state):
        R, V, F_old, dt, alpha, n_pos = state
        R = R + dt * V + 0.5 * dt**2 * F_old
        F = force_fn(R)
        V = V + 0.5 * dt * (F_old + F)
        F_norm = jnp.sqrt(jnp.sum(F**2) + 1e-12)
        V_norm = jnp.sqrt(jnp.sum(V**2))
        P = jnp.sum(F * V)
        V = V + alpha * (F * V_norm / F_norm - V)
        uphill = (P < 0).astype(jnp.float32)
        n_pos = (n_pos + 1.0) * (1.0 - uphill)
        grow = (n_pos > n_min).astype(jnp.float32)
        dt = jnp.minimum(dt * jnp.where(grow > 0, f_inc, 1.0), dt_max) * jnp.where(P < 0, f_dec, 1.0)
        alpha = jnp.where(P < 0, 0.1, alpha * jnp.where(grow > 0, f_alpha, 1.0))
        return FireState(R, V * (1.0 - uphill), F, dt, alpha, n_pos)

    return init, apply


def minimise(R, box, steps=300):
    init, apply = fire_descent(lambda r: soft_sphere_energy(r, box))

    @jax.jit
    def run(R):
        final, _ = jax.lax.scan(lambda s, _: (apply(s), None), init(R), None, length=steps)
        return final

    return run(R)


if __name__ == "__main__":
    box = 5.0
    R = jax.random.uniform(jax.random.key(0), (24, 2)) * box
    state = minimise(R, box)
    print("energy", soft_sphere_energy(R, box), "->", soft_sphere_energy(state.position, box))
