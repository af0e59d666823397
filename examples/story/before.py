"""Fits a line to batches of different lengths. It runs, it learns, and nothing warns."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(weights, x, y):
    def loss(weights):
        return jnp.mean((x @ weights - y) ** 2)

    value, slope = jax.value_and_grad(loss)(weights)
    return weights - 0.1 * slope, value


def main():
    draw = np.random.default_rng(0)
    weights = jnp.zeros(8)
    for _ in range(60):
        x = draw.normal(size=(draw.integers(8, 64), 8)).astype(np.float32)
        y = x.sum(axis=1)
        weights, loss = step(weights, x, y)
    print(f"loss of the last batch: {loss:.3f}")


if __name__ == "__main__":
    main()
