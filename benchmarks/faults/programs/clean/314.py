"""Repulsive pair potential with padded neighbours and safe distances."""
import jax
import jax.numpy as jnp


def safe_sqrt(x):
    mask = x > 0.0
    return jnp.where(mask, jnp.sqrt(jnp.where(mask, x, 1.0)), 0.0)


def safe_norm(v, axis=-1):
    return safe_sqrt(jnp.sum(v * v, axis=axis))


def screening(x):
    coef = jnp.array([0.1818, 0.5099, 0.2802, 0.02817])
    expo = jnp.array([-3.2, -0.9423, -0.4028, -0.2016])
    return jnp.sum(coef * jnp.exp(expo * x[..., None]), axis=-1)


def zbl_energy(coords, charges, neighbours, rcut=2.0):
    present = neighbours >= 0
    idx = jnp.where(present, neighbours, 0)
    r = safe_norm(coords[:, None] - coords[idx])
    inside = present & (r > 0.0) & (r < rcut)
    r_in = jnp.where(inside, r, 1.0)
    a = 0.4685 / (charges[:, None] ** 0.23 + charges[idx] ** 0.23)
    pair = 14.4 * charges[:, None] * charges[idx] / r_in * screening(r_in / a)
    smooth = (1.0 - r_in / rcut) ** 2
    return 0.5 * jnp.sum(jnp.where(inside, pair * smooth, 0.0))


def neighbour_list(n, width):
    idx = jnp.arange(n)[:, None] + 1 + jnp.arange(width)[None]
    return jnp.where(idx < n, idx, -1)


@jax.jit
def forces(coords, charges, neighbours):
    return -jax.grad(zbl_energy)(coords, charges, neighbours)


if __name__ == "__main__":
    coords = jax.random.uniform(jax.random.key(0), (6, 3)) * 2.0
    coords = coords.at[1].set(coords[0])
    charges = jnp.array([1.0, 6.0, 8.0, 1.0, 7.0, 6.0])
    f = forces(coords, charges, neighbour_list(6, 3))
    print("finite forces", bool(jnp.isfinite(f).all()), "total", f.sum(0))
