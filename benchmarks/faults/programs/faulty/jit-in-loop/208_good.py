"""Sweep over barrier parameters of a single-integrator safety filter."""
import itertools
import time

import jax
import jax.numpy as jnp
import numpy as np

OBSTACLES = np.array([[1.0, 0.2], [2.0, -0.4], [3.0, 0.5]], np.float32)
GOAL = np.array([4.0, 0.0], np.float32)


def barrier(x, obstacle, radius=0.4):
    return jnp.sum((x - obstacle) ** 2) - radius**2


def nominal(x, limit):
    return jnp.clip(1.5 * (GOAL - x), -limit, limit)


def safety_filter(x, u, alpha):
    for obs in OBSTACLES:
        h, dh = jax.value_and_grad(barrier)(x, obs)
        slack = dh @ u + alpha * h
        u = u - jnp.minimum(slack, 0.0) * dh / (dh @ dh + 1e-6)
    return u


def make_simulator(num_steps, dt=0.05):
    def simulate(x0, alpha, limit):
        def step(x, _):
            x = x + dt * safety_filter(x, nominal(x, limit), alpha)
            return x, x
        return jax.lax.scan(step, x0, None, length=num_steps)[1]

    return simulate


def run_sweep(alphas, limits, starts, num_steps=100):
    results = {}
    batched = jax.jit(jax.vmap(make_simulator(num_steps), in_axes=(0, None, None)))
    for alpha, limit in itertools.product(alphas, limits):
        paths = batched(starts, alpha, limit)
        results[alpha, limit] = summarize(paths)
    return results


def summarize(paths):
    paths = np.asarray(paths)
    gap = np.linalg.norm(paths[:, :, None] - OBSTACLES, axis=-1).min()
    return float(gap), float(np.linalg.norm(paths[:, -1] - GOAL, axis=-1).mean())


def main():
    starts = np.random.default_rng(0).normal(scale=0.1, size=(3, 2)).astype(np.float32)
    t0 = time.time()
    results = run_sweep([0.5, 1.0, 2.0, 4.0], [0.5, 1.0, 2.0], starts)
    for key, (gap, err) in results.items():
        print(key, round(gap, 3), round(err, 3))
    print("wall", round(time.time() - t0, 2))


if __name__ == "__main__":
    main()
