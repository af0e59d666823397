"""Electrostatics between fixed point charges: energy, forces and charge response."""
import jax
import jax.numpy as jnp
from jax.scipy.special import erfc

ONE_4PI_EPS0 = 138.935456


def displacement(ri, rj, box=None):
    d = ri - rj
    if box is not None:
        d = d - box * jnp.round(d / box)
    return d


def distance(ri, rj, box=None):
    return jnp.sqrt(jnp.sum(displacement(ri, rj, box) ** 2, axis=-1))


def direct_space(conf, charges, box, alpha):
    n = conf.shape[0]
    keep = 1 - jnp.eye(n)
    dij = distance(conf[None], conf[:, None], box)
    qij = charges[None, :] * charges[:, None]
    eij = qij * erfc(alpha * dij) / dij
    return 0.5 * ONE_4PI_EPS0 * jnp.sum(jnp.where(keep, eij, 0.0))


def self_energy(charges, alpha):
    return -ONE_4PI_EPS0 * alpha / jnp.sqrt(jnp.pi) * jnp.sum(charges**2)


def total_energy(conf, charges, box, alpha=2.0):
    return direct_space(conf, charges, box, alpha) + self_energy(charges, alpha)


@jax.jit
def minimise_step(conf, charges, box, lr):
    energy, g = jax.value_and_grad(total_energy)(conf, charges, box)
    g = g / jnp.maximum(1.0, jnp.abs(g).max())
    return conf - lr * g, energy


def main():
    charges = jnp.array([1.3, -0.3, 0.3, -0.3, -1.0])
    conf = jax.random.uniform(jax.random.key(0), (5, 3)) * 3.0
    box = jnp.array([3.0, 3.0, 3.0])
    print("energy", total_energy(conf, charges, box))
    dq = jax.jacrev(total_energy, argnums=1)(conf, charges, box)
    print("potential at charges", dq)
    for _ in range(3):
        conf, energy = minimise_step(conf, charges, box, 1e-2)
    print("energy after", energy, "conf finite", bool(jnp.isfinite(conf).all()))


if __name__ == "__main__":
    main()
