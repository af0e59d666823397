"""Simulate trajectories in worker processes and fit a model on the device."""
import concurrent.futures
import multiprocessing

import jax
import jax.numpy as jnp
import numpy as np


def simulate_orbit(seed, steps=200, dt=0.02):
    rng = np.random.default_rng(seed)
    x, v = rng.normal(size=2), rng.normal(size=2)
    path = np.empty((steps, 2), np.float32)
    for i in range(steps):
        v = v - dt * x
        x = x + dt * v
        path[i] = x
    return path


def gather(n, workers):
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(workers, mp_context=context) as pool:
        return np.stack(list(pool.map(simulate_orbit, range(n))))


@jax.jit
def fit_step(theta, paths):
    def loss(theta):
        accel = (paths[:, 2:] - 2 * paths[:, 1:-1] + paths[:, :-2]) / 0.02**2
        return jnp.mean((accel - paths[:, 1:-1] @ theta) ** 2)
    value, grad = jax.value_and_grad(loss)(theta)
    return theta - 0.1 * grad, value


def main():
    paths = jnp.asarray(gather(8, workers=2))
    theta = jnp.zeros((2, 2))
    for _ in range(50):
        theta, value = fit_step(theta, paths)
    print(np.round(np.asarray(theta), 2), float(value))


if __name__ == "__main__":
    main()
