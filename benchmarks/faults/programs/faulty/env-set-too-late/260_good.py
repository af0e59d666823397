"""Free energies from reduced potentials by self-consistent iteration."""
import os

os.environ["JAX_ENABLE_X64"] = "1"

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def self_consistent_update(u_kn, n_k, f_k):
    log_denominator = jax.scipy.special.logsumexp(f_k - u_kn.T, b=n_k, axis=1)
    return -jax.scipy.special.logsumexp(-log_denominator - u_kn, axis=1)


def harmonic_samples(spring, n_each, seed=0):
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.normal(scale=1 / np.sqrt(k), size=n) for k, n in zip(spring, n_each)])
    return 0.5 * np.asarray(spring)[:, None] * x**2 + 1e4


class MBAR:
    def __init__(self, u_kn, n_k, tolerance=1e-10, maxiter=200):
        self.u_kn = jnp.asarray(u_kn)
        self.n_k = jnp.asarray(n_k, self.u_kn.dtype)
        self.tolerance, self.maxiter = tolerance, maxiter

    def solve(self):
        f_k = jnp.zeros(len(self.n_k), self.u_kn.dtype)
        for iteration in range(self.maxiter):
            new = self_consistent_update(self.u_kn, self.n_k, f_k)
            new = new - new[0]
            delta = float(jnp.max(jnp.abs(new - f_k)))
            f_k = new
            if delta < self.tolerance:
                break
        return f_k, iteration


def main():
    spring, n_each = [1.0, 2.0, 4.0], [400, 400, 400]
    u_kn = harmonic_samples(spring, n_each)
    f_k, iterations = MBAR(u_kn, n_each).solve()
    exact = 0.5 * np.log(np.array(spring) / spring[0])
    print(f_k.dtype, "iterations", iterations, "error", np.abs(np.asarray(f_k) - exact).max())


if __name__ == "__main__":
    main()
