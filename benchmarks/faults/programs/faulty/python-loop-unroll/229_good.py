"""Deflection of an elliptical power-law lens, used in an image-plane loss."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


def omega(z, t, q, niter=80):
    """Angular part of the deflection as a truncated series."""
    f = (1 - q) / (1 + q)

    def body(carry, i):
        term, total = carry
        factor = (2.0 * i - (2 - t)) / (2.0 * i + (2 - t))
        term = -f * factor * term * z**2 / jnp.abs(z) ** 2
        return (term, total + term), None

    index = jnp.arange(1, niter, dtype=z.real.dtype)
    return jax.lax.scan(body, (z, z), index)[0][1]


def deflection(params, x, y):
    t = params["slope"] - 1.0
    q = params["axis_ratio"]
    radius = jnp.sqrt((q * x) ** 2 + y**2 + 1e-6)
    z = jax.lax.complex(q * x, y) / radius
    amplitude = 2 * params["b"] / (1 + q) * (params["b"] / radius) ** (t - 1)
    alpha = amplitude * omega(z, t, q)
    return alpha.real, alpha.imag


def source(bx, by):
    return jnp.exp(-0.5 * ((bx - 0.05) ** 2 + by**2) / 0.2**2)


def image_model(params, grid):
    ax, ay = deflection(params, *grid)
    return source(grid[0] - ax, grid[1] - ay)


@jax.jit
def loss_and_grad(params, grid, data):
    loss = lambda p: jnp.mean((image_model(p, grid) - data) ** 2)
    return jax.value_and_grad(loss)(params)


def fit(data, grid, params, steps=20, lr=0.05):
    for _ in range(steps):
        value, grads = loss_and_grad(params, grid, data)
        params = jax.tree.map(lambda p, g: p - lr * g, params, grads)
    return params, float(value)


if __name__ == "__main__":
    axis = jnp.linspace(-1.6, 1.6, 32)
    grid = jnp.meshgrid(axis, axis)
    truth = {"slope": jnp.float32(2.0), "axis_ratio": jnp.float32(0.8), "b": jnp.float32(1.0)}
    start = {"slope": jnp.float32(2.1), "axis_ratio": jnp.float32(0.7), "b": jnp.float32(0.9)}
    _, value = fit(image_model(truth, grid), grid, start)
    eqns = len(jax.make_jaxpr(image_model)(truth, grid).eqns)
    print("loss", value, "equations", eqns)
