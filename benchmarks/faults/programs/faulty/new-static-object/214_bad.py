"""Closed-loop simulation harness with pluggable sensor, estimator and noise."""
import time
from functools import partial

import jax
import jax.numpy as jnp


def unicycle(x):
    f = jnp.zeros(3)
    g = jnp.array([[jnp.cos(x[2]), 0.0], [jnp.sin(x[2]), 0.0], [0.0, 1.0]])
    return f, g


def proportional_controller(x, goal=jnp.array([2.0, 1.0])):
    err = goal - x[:2]
    heading = jnp.arctan2(err[1], err[0]) - x[2]
    return jnp.array([jnp.clip(jnp.linalg.norm(err), 0, 1), 2.0 * jnp.sin(heading)])


@partial(jax.jit, static_argnames=("dynamics", "controller", "sensor", "estimator",
                                   "perturbation", "num_steps"))
def simulator_jit(x0, key, dt, *, dynamics, controller, sensor, estimator,
                  perturbation, num_steps):
    def step(carry, key):
        x, z = carry
        y = sensor(x)
        z = estimator(z, y)
        u = controller(z)
        f, g = dynamics(x)
        x = x + dt * (f + g @ u + perturbation(x, key))
        return (x, z), x

    _, xs = jax.lax.scan(step, (x0, x0), jax.random.split(key, num_steps))
    return xs


def execute(x0, dynamics, controller, dt=0.02, num_steps=200, key=None,
            sensor=None, estimator=None, perturbation=None):
    sensor = sensor if sensor is not None else (lambda x: x)
    estimator = estimator if estimator is not None else (lambda z, y: y)
    perturbation = (perturbation if perturbation is not None
                    else (lambda x, key: jnp.zeros_like(x)))
    key = jax.random.PRNGKey(0) if key is None else key
    return simulator_jit(x0, key, dt, dynamics=dynamics, controller=controller,
                         sensor=sensor, estimator=estimator,
                         perturbation=perturbation, num_steps=num_steps)


def benchmark(runs=5):
    start = time.perf_counter()
    for i in range(runs):
        xs = execute(jnp.array([0.0, 0.1 * i, 0.0]), unicycle, proportional_controller)
        print(i, xs[-1])
    return time.perf_counter() - start


if __name__ == "__main__":
    print("seconds", benchmark(), "programs", simulator_jit._cache_size())
