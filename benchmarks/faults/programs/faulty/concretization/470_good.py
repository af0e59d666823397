"""Plasma two-species relaxation integrated by a bounded-step adaptive solver."""
from functools import partial

import jax
import jax.numpy as jnp


def vector_field(t, y, args):
    n_e, t_e, t_i = y
    nu = args["nu0"] * n_e / (jnp.abs(t_e) ** 1.5 + 1e-3)
    return jnp.stack([-args["loss"] * n_e, -nu * (t_e - t_i), nu * (t_e - t_i)])


def heun(f, t, y, dt, args):
    k1 = f(t, y, args)
    k2 = f(t + dt, y + dt * k1, args)
    y1 = y + 0.5 * dt * (k1 + k2)
    return y1, jnp.max(jnp.abs(0.5 * dt * (k2 - k1)))


def step_once(f, state, args, tol):
    t, y, dt, t1 = state
    dt = jnp.minimum(dt, t1 - t)
    y1, err = heun(f, t, y, dt, args)
    ok = err < tol
    factor = jnp.clip(0.9 * jnp.sqrt(tol / (err + 1e-12)), 0.2, 5.0)
    return jnp.where(ok, t + dt, t), jnp.where(ok, y1, y), jnp.maximum(dt * factor, 1e-4), t1


def solve(f, y0, t1, dt0, args, max_steps, tol=1e-4):
    state = (jnp.zeros(()), y0, jnp.asarray(dt0), jnp.asarray(t1))
    if max_steps == 1:
        return step_once(f, state, args, tol)[1]
    body = lambda i, s: step_once(f, s, args, tol)
    return jax.lax.fori_loop(0, max_steps, body, state)[1]


@partial(jax.jit, static_argnames=("max_steps",))
def simulate(params, y0, t1, max_steps):
    return solve(vector_field, y0, t1, 1e-2, params, max_steps)


def sweep(nu_values, y0, cfg):
    out = []
    for nu in nu_values:
        params = {"nu0": jnp.asarray(nu), "loss": jnp.asarray(cfg["loss"])}
        out.append(simulate(params, y0, cfg["t1"], cfg["max_steps"]))
    return jnp.stack(out)


if __name__ == "__main__":
    cfg = {"loss": 0.05, "t1": 2.0, "max_steps": 400}
    y0 = jnp.array([1.0, 3.0, 1.0])
    print(sweep([0.5, 1.0, 2.0], y0, cfg))
    print("programs", simulate._cache_size())
