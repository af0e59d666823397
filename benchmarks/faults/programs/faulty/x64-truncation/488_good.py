"""Ground state of a transverse-field Ising chain by Lanczos in double precision."""
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
DTYPE = jnp.float64


def ising_diag(n, coupling):
    states = np.arange(2**n)
    spins = 1 - 2 * ((states[:, None] >> np.arange(n)) & 1)
    return -coupling * np.sum(spins[:, 1:] * spins[:, :-1], axis=1)


def make_matvec(n, coupling, field):
    diag = jnp.asarray(ising_diag(n, coupling), dtype=DTYPE)
    flips = [jnp.asarray(np.arange(2**n) ^ (1 << i)) for i in range(n)]

    @jax.jit
    def matvec(v):
        out = diag * v
        for f in flips:
            out = out - field * v[f]
        return out

    return matvec


def lanczos(matvec, dim, krylov, key):
    v = jax.random.normal(key, (dim,), dtype=DTYPE)
    v = v / jnp.linalg.norm(v)
    basis, alphas, betas = [v], [], []
    for k in range(krylov):
        w = matvec(basis[-1])
        alphas.append(w @ basis[-1])
        for b in basis:
            w = w - (w @ b) * b
        beta = jnp.linalg.norm(w)
        if float(beta) < 1e-10:
            break
        betas.append(beta)
        basis.append(w / beta)
    a, b = jnp.stack(alphas), jnp.stack(betas[: len(alphas) - 1])
    return jnp.linalg.eigvalsh(jnp.diag(a) + jnp.diag(b, 1) + jnp.diag(b, -1))[0]


def exact_energy(n, coupling, field):
    m = np.zeros((n, n))
    for i in range(n):
        m[i, i] = field
        if i + 1 < n:
            m[i, i + 1] = coupling
    return -np.sum(np.linalg.svd(m, compute_uv=False))


if __name__ == "__main__":
    n = 8
    matvec = make_matvec(n, 1.0, 0.7)
    e0 = lanczos(matvec, 2**n, 40, jax.random.key(0))
    print("dtype", e0.dtype, "error against free fermions", abs(float(e0) - exact_energy(n, 1.0, 0.7)))
