from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np


@dataclass
class Topology:
    charges: np.ndarray
    sigmas: np.ndarray
    epsilons: np.ndarray
    core: tuple

    def qlj(self):
        return jnp.stack(
            [jnp.asarray(self.charges), jnp.asarray(self.sigmas), jnp.asarray(self.epsilons)],
            axis=1,
        )


def end_states(top):
    """Source: core atoms at half strength.  Destination: charges off outside the core."""
    full = top.qlj()
    core = jnp.asarray(top.core)
    src = full
    src = src.at[core, 0].multiply(0.5)
    src = src.at[core, 2].multiply(0.5)
    dst = full
    outside = jnp.setdiff1d(jnp.arange(full.shape[0]), core)
    dst.at[outside, 0].set(0.0)
    return src, dst


def interpolate(lam, src, dst):
    return (1.0 - lam) * src + lam * dst


def energy(conf, qlj):
    q, sig, eps = qlj.T
    i, j = np.triu_indices(conf.shape[0], k=1)
    d = jnp.sqrt(jnp.sum((conf[i] - conf[j]) ** 2, axis=-1))
    s6 = (0.5 * (sig[i] + sig[j]) / d) ** 6
    lj = 4.0 * jnp.sqrt(eps[i] * eps[j]) * (s6**2 - s6)
    return jnp.sum(q[i] * q[j] / d + lj)


def du_dl(conf, src, dst, lam):
    return jax.grad(lambda l: energy(conf, interpolate(l, src, dst)))(lam)


def main():
    rng = np.random.default_rng(3)
    n = 6
    top = Topology(rng.normal(size=n), np.full(n, 0.3), np.full(n, 0.1), core=(0, 1, 2))
    conf = jnp.asarray(rng.normal(size=(n, 3)) * 2.0)
    src, dst = end_states(top)
    slope = jax.jit(du_dl)
    grid = [float(slope(conf, src, dst, lam)) for lam in (0.0, 0.5, 1.0)]
    print("du/dl", np.round(grid, 4))
    print("charges at lambda = 1", np.round(np.asarray(dst[:, 0]), 3))


if __name__ == "__main__":
    main()
