"""Proximal gradient solver whose update step is jitted by the caller."""
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class SolverState(NamedTuple):
    iter_num: Any
    stepsize: Any
    error: Any
    velocity: Any


def soft_threshold(x, thresh):
    return jnp.sign(x) * jnp.maximum(jnp.abs(x) - thresh, 0.0)


class ProximalGradient:
    def __init__(self, fun, lam, max_stepsize=1.0, decrease=0.8, tol=1e-4):
        self.fun, self.lam = fun, lam
        self.max_stepsize, self.decrease, self.tol = max_stepsize, decrease, tol

    def init_state(self, params):
        return SolverState(iter_num=jnp.asarray(0, jnp.int32),
                           stepsize=jnp.asarray(self.max_stepsize, params.dtype),
                           error=jnp.asarray(jnp.inf, params.dtype),
                           velocity=jnp.zeros_like(params))

    def update(self, params, state, data):
        value, grad = jax.value_and_grad(self.fun)(params, data)
        step = state.stepsize
        trial = soft_threshold(params - step * grad, step * self.lam)
        diff = trial - params
        bound = value + grad @ diff + jnp.vdot(diff, diff) / (2 * step)
        accept = self.fun(trial, data) <= bound
        new_params = jnp.where(accept, trial, params)
        stepsize = jnp.where(accept, step, step * self.decrease).astype(params.dtype)
        error = jnp.linalg.norm(diff) / stepsize
        error = jnp.where(accept, error, jnp.asarray(jnp.inf, params.dtype))
        return new_params, SolverState(state.iter_num + jnp.int32(1), stepsize, error, diff)


def least_squares(params, data):
    X, y = data
    return 0.5 * jnp.mean((X @ params - y) ** 2)


def lasso(X, y, lam, maxiter=40):
    solver = ProximalGradient(least_squares, lam)
    update = jax.jit(solver.update)
    params = jnp.zeros(X.shape[1])
    state = solver.init_state(params)
    for _ in range(maxiter):
        params, state = update(params, state, (X, y))
        if float(state.error) < solver.tol:
            break
    return params, update._cache_size()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 20)).astype(np.float32)
    w = np.where(np.arange(20) < 4, 1.0, 0.0).astype(np.float32)
    params, programs = lasso(X, X @ w, lam=0.05)
    print(np.round(params[:5], 2), "update programs", programs)
