from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class System:
    charges: tuple
    sigma: float = 0.3
    eps: float = 0.2


def pair_distances(conf):
    ri = jnp.expand_dims(conf, 0)
    rj = jnp.expand_dims(conf, 1)
    return jnp.sqrt(jnp.sum((ri - rj) ** 2, axis=-1))


def coulomb(dij, charges):
    q = jnp.asarray(charges)
    qij = q[:, None] * q[None, :]
    keep = 1 - jnp.eye(len(charges))
    return 0.5 * jnp.sum(jnp.where(keep, qij / dij, 0.0))


def lennard_jones(dij, sigma, eps):
    keep = 1 - jnp.eye(dij.shape[0])
    sr6 = jnp.where(keep, (sigma / dij) ** 6, 0.0)
    return 0.5 * jnp.sum(4 * eps * (sr6**2 - sr6))


def potential(conf, system):
    dij = pair_distances(conf)
    return coulomb(dij, system.charges) + lennard_jones(dij, system.sigma, system.eps)


class Minimizer:
    def __init__(self, system, step=1e-3):
        self.step = step
        self.value_and_force = jax.jit(jax.value_and_grad(lambda c: potential(c, system)))

    def run(self, conf, iters):
        for _ in range(iters):
            u, g = self.value_and_force(conf)
            conf = conf - self.step * g
        return conf, float(u)


def main():
    system = System(charges=(1.3, -0.3, 0.3, -0.9))
    conf = jnp.array([[0.1, 0.0, 0.2], [1.1, -0.2, 1.3], [2.4, 1.2, -0.2], [-0.7, 1.7, 0.0]])
    print("energy before", float(potential(conf, system)))
    conf, u = Minimizer(system).run(conf, 5)
    print("energy after", u, "nan coordinates", int(jnp.isnan(conf).sum()))


if __name__ == "__main__":
    main()
