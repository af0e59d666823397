"""Variational energy minimisation that keeps the old state when a step turns NaN."""
import os
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import optax


def log_psi(params, x):
    return -jnp.exp(params["alpha"]) * x**2 + params["beta"] * jnp.log1p(x**2)


def local_energy(params, x):
    f = lambda y: log_psi(params, y)
    d1, d2 = jax.grad(f), jax.grad(jax.grad(f))
    return -0.5 * (d2(x) + d1(x) ** 2) + 0.5 * x**2


def energy_and_grad(params, walkers):
    e = jax.vmap(local_energy, (None, 0))(params, walkers)
    centred = jax.lax.stop_gradient(e - e.mean())
    grad = jax.grad(lambda p: 2 * jnp.mean(centred * jax.vmap(log_psi, (None, 0))(p, walkers)))(params)
    return e.mean(), grad


tx = optax.adam(0.02)


@jax.jit
def step(params, opt_state, walkers):
    energy, grad = energy_and_grad(params, walkers)
    updates, new_state = tx.update(grad, opt_state)
    new_params = optax.apply_updates(params, updates)
    params, opt_state = jax.lax.cond(
        jnp.isfinite(energy),
        lambda: (new_params, new_state),
        lambda: (params, opt_state),
    )
    return params, opt_state, energy


def save(path, t, params, opt_state):
    arrays = np.empty(3, object)
    arrays[:] = [t, jax.tree.map(np.asarray, params), list(jax.tree.map(np.asarray, opt_state))]
    np.save(path, arrays, allow_pickle=True)


def restore(path):
    t, params, opt_state = np.load(path, allow_pickle=True)
    return t, params, opt_state


def train(params, opt_state, start, stop, rng):
    for _ in range(start, stop):
        walkers = rng.normal(size=512).astype(np.float32) * 0.7
        params, opt_state, energy = step(params, opt_state, walkers)
    return params, opt_state, energy


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    params = {"alpha": jnp.float32(-0.2), "beta": jnp.float32(0.1)}
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "qmcjax_ckpt.npy")
        params, opt_state, _ = train(params, tx.init(params), 0, 20, rng)
        save(path, 20, params, opt_state)
        t, params, opt_state = restore(path)
        params, opt_state, energy = train(params, opt_state, t, 40, rng)
    print("energy", float(energy))
