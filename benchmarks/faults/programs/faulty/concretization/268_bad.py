from functools import partial
from typing import Tuple

import jax
import jax.numpy as jnp
import numpy as np


def unpack(x, norb: int, nthc: int) -> Tuple[jax.Array, jax.Array]:
    chi = x[: norb * nthc].reshape(nthc, norb)
    zeta = x[norb * nthc :].reshape(nthc, nthc)
    return chi, zeta


def reconstruct(chi, zeta):
    chichi = jnp.einsum("Pp,Pr->Ppr", chi, chi)
    return jnp.einsum("Ppr,PQ,Qqs->prqs", chichi, zeta, chichi)


@partial(jax.jit, static_argnames=("norb", "nthc"))
def compute_objective(x, eri, norb: int, nthc: int, penalty: float = 0.0) -> float:
    chi, zeta = unpack(x, norb, nthc)
    diff = eri - reconstruct(chi, zeta)
    res = 0.5 * jnp.sum(diff**2) + penalty * jnp.sum(jnp.abs(zeta))
    return float(res)


def random_eri(norb, rng):
    a = rng.normal(size=(norb, norb, norb, norb))
    a = a + a.transpose(1, 0, 2, 3)
    a = a + a.transpose(0, 1, 3, 2)
    return jnp.asarray(a + a.transpose(2, 3, 0, 1))


def factorize(norb=3, nthc=5, iters=25, lr=2e-4):
    rng = np.random.default_rng(11)
    eri = random_eri(norb, rng)
    x = jnp.asarray(rng.normal(size=norb * nthc + nthc * nthc) * 0.4)
    value_and_grad = jax.value_and_grad(compute_objective)
    for it in range(iters):
        val, g = value_and_grad(x, eri, norb=norb, nthc=nthc, penalty=1e-3)
        x = x - lr * g
        if it % 8 == 0:
            print(it, val)
    return x


if __name__ == "__main__":
    factorize()
