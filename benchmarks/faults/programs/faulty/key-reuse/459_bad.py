"""Minimum-distance estimation on simulated consumption data (plain JAX)."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Model(NamedTuple):
    alpha: float = 0.5
    beta: float = 1.0
    sigma: float = 0.1


def simulate(key, model: Model, n: int):
    income = jax.random.normal(key, (n,)) + 3.0
    shocks = model.sigma * jax.random.normal(key, (n,))
    consumption = model.alpha + model.beta * income + shocks
    return income, consumption


@jax.jit
def loss(theta, x, y):
    return jnp.mean((y - theta[0] - theta[1] * x) ** 2)


def gradient_descent(x, y, lr=0.08, tol=1e-6, max_iter=4000):
    grad = jax.jit(jax.grad(loss))
    theta = jnp.array([0.1, 0.1])
    for i in range(max_iter):
        g = grad(theta, x, y)
        theta = theta - lr * g
        if i % 200 == 0 and float(jnp.abs(g).max()) < tol:
            break
    return theta


def report(theta, model):
    print(f"slope estimate {float(theta[1]):.4f} (true {model.beta})")
    print(f"intercept estimate {float(theta[0]):.4f} (true {model.alpha})")


if __name__ == "__main__":
    model = Model()
    x, y = simulate(jax.random.PRNGKey(1234), model, 2000)
    report(gradient_descent(x, y), model)
