"""Largest eigenpair of a Hermitian hopping matrix with a stopping rule under jit."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class PowerState(NamedTuple):
    i: jax.Array
    v: jax.Array
    theta: jax.Array
    residual: jax.Array


def hopping_matrix(key, n, flux):
    phase = jnp.exp(1j * flux * jnp.arange(n - 1))
    h = jnp.diag(phase, 1)
    disorder = jax.random.uniform(key, (n,), minval=-0.3, maxval=0.3)
    return h + h.conj().T + jnp.diag(disorder + 3.0)


def rayleigh(A, v):
    return jnp.vdot(v, A @ v) / jnp.vdot(v, v)


def largest_eigenpair(A, v0, tol=1e-4, max_iter=3000):
    def cond(s):
        return (s.residual > tol) & (s.i < max_iter)

    def body(s):
        w = A @ s.v
        v = w / jnp.linalg.norm(w)
        theta = rayleigh(A, v)
        residual = jnp.linalg.norm(A @ v - theta * v)
        return PowerState(s.i + 1, v, theta, residual)

    v0 = v0.astype(A.dtype) / jnp.linalg.norm(v0)
    init = PowerState(jnp.int32(0), v0, jnp.zeros((), jnp.float32), jnp.full((), jnp.inf))
    return jax.lax.while_loop(cond, body, init)


@jax.jit
def band_top(key, flux):
    k1, k2 = jax.random.split(key)
    A = hopping_matrix(k1, 10, flux)
    return largest_eigenpair(A, jax.random.normal(k2, (10,))), A


def scan_flux(fluxes):
    rows = []
    for i, flux in enumerate(fluxes):
        state, A = band_top(jax.random.key(i), flux)
        rows.append((float(flux), int(state.i), float(state.theta), float(jnp.linalg.eigvalsh(A)[-1])))
    return rows


if __name__ == "__main__":
    for row in scan_flux([0.0, 0.2, 0.5]):
        print("flux %.2f iterations %d value %.4f dense %.4f" % row)
