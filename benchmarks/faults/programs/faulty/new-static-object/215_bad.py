"""Fit a small inverse problem from several starting points."""
import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclasses.dataclass(frozen=True)
class FitConfig:
    learning_rate: float = 0.05
    iterations: int = 100
    restarts: int = 6


def forward_model(theta, t):
    return theta["amp"] * jnp.exp(-theta["rate"] * t) + theta["offset"]


def loss(theta, t, y):
    return jnp.mean((forward_model(theta, t) - y) ** 2)


@functools.partial(jax.jit, static_argnums=(0, 1))
def inference(optimizer, iterations, theta, t, y):
    def do_one(state, _):
        theta, opt_state = state
        value, grads = jax.value_and_grad(loss)(theta, t, y)
        updates, opt_state = optimizer.update(grads, opt_state, theta)
        return (optax.apply_updates(theta, updates), opt_state), value

    (theta, _), trajectory = jax.lax.scan(
        do_one, (theta, optimizer.init(theta)), None, length=iterations)
    return theta, trajectory


def draw_start(rng):
    return {k: jnp.asarray(rng.uniform(0.1, 2.0), jnp.float32)
            for k in ("amp", "rate", "offset")}


def multistart(cfg, t, y, seed=0):
    rng = np.random.default_rng(seed)
    best = (np.inf, None)
    for _ in range(cfg.restarts):
        optimizer = optax.adam(cfg.learning_rate)
        theta, values = inference(optimizer, cfg.iterations, draw_start(rng), t, y)
        if float(values[-1]) < best[0]:
            best = (float(values[-1]), theta)
    return best


def synthetic(seed=1):
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 4, 50, dtype=np.float32)
    y = 1.3 * np.exp(-0.7 * t) + 0.2 + 0.01 * rng.normal(size=50)
    return jnp.asarray(t), jnp.asarray(y, jnp.float32)


if __name__ == "__main__":
    value, theta = multistart(FitConfig(), *synthetic())
    print(value, {k: round(float(v), 2) for k, v in theta.items()},
          "programs", inference._cache_size())
