from functools import partial

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

f32 = jnp.float32
f64 = jnp.float64


def high_precision_sum(x, axis=None):
    """Sums with a wide accumulator and casts back to the type of the input."""
    return jnp.sum(x, axis=axis, dtype=f64).astype(x.dtype)


def pair_displacement(r, box):
    dr = r[:, None, :] - r[None, :, :]
    return dr - box * jnp.round(dr / box)


def soft_sphere(dr2, sigma=1.0, eps=1.0):
    overlap = jnp.maximum(1.0 - jnp.sqrt(dr2 + 1e-12) / sigma, 0.0)
    return 0.5 * eps * overlap**2


@partial(jax.jit, static_argnames="box")
def total_energy(r, box):
    dr2 = jnp.sum(pair_displacement(r, box) ** 2, axis=-1)
    mask = 1.0 - jnp.eye(r.shape[0])
    return 0.5 * high_precision_sum(soft_sphere(dr2) * mask)


def charge_balance(n=200_000, seed=0):
    q = jax.random.normal(jax.random.key(seed), (n,), f32)
    q = jnp.concatenate([q * 1e3, jnp.ones(n, f32) * 1e-3, -q * 1e3])
    return high_precision_sum(q)


def main():
    r = jax.random.uniform(jax.random.key(2), (200, 3), f32) * 5.0
    print("energy", float(total_energy(r, 5.0)))
    print("net charge", float(charge_balance()), "expected", 200.0)


if __name__ == "__main__":
    main()
