"""Variational Monte Carlo for a harmonic well with restartable runs."""
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax

OPT = optax.adam(1e-2)


def log_psi(params, r):
    h = jnp.tanh(r @ params["w1"] + params["b1"])
    return -0.5 * jnp.exp(params["log_a"]) * jnp.sum(r**2) + h @ params["w2"]


def local_energy(params, r):
    g = jax.grad(log_psi, argnums=1)(params, r)
    lap = jnp.trace(jax.hessian(log_psi, argnums=1)(params, r))
    return -0.5 * (lap + g @ g) + 0.5 * r @ r


def loss_and_grad(params, walkers):
    e = jax.vmap(local_energy, (None, 0))(params, walkers)
    diff = jax.lax.stop_gradient(e - e.mean())
    surrogate = lambda p: 2.0 * jnp.mean(diff * jax.vmap(log_psi, (None, 0))(p, walkers))
    return e.mean(), jax.grad(surrogate)(params)


@jax.jit
def train_step(params, opt_state, walkers):
    energy, grads = loss_and_grad(params, walkers)

    def apply(operand):
        params, opt_state = operand
        updates, new_state = OPT.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), new_state

    ok = jnp.isfinite(energy)
    params, opt_state = jax.lax.cond(ok, apply, lambda o: o, (params, opt_state))
    return params, opt_state, energy


def save(path, t, params, opt_state):
    np.savez(path, t=t, params=np.asarray(params, dtype=object),
             opt_state=np.asarray(list(opt_state), dtype=object))


def restore(path):
    with np.load(path, allow_pickle=True) as data:
        return int(data["t"]), data["params"].tolist(), data["opt_state"].tolist()


def initial():
    k = jax.random.split(jax.random.key(0), 2)
    return {"w1": 0.1 * jax.random.normal(k[0], (3, 8)), "b1": jnp.zeros(8),
            "w2": 0.1 * jax.random.normal(k[1], (8,)), "log_a": jnp.array(0.3)}


def train(path, iterations):
    if path.exists():
        t0, params, opt_state = restore(path)
    else:
        t0, params = 0, initial()
        opt_state = OPT.init(params)
    for t in range(t0, iterations):
        walkers = jax.random.normal(jax.random.key(t), (128, 3)) * 0.7
        params, opt_state, energy = train_step(params, opt_state, walkers)
    save(path, iterations, jax.device_get(params), jax.device_get(opt_state))
    return float(energy)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as d:
        path = Path(d) / "qmc.npz"
        print("first run", train(path, 10))
        print("restarted", train(path, 20))
