"""Move nested parameter containers to the device, keeping their types."""
from collections import OrderedDict
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class ShockParams(NamedTuple):
    scale: np.ndarray
    corr: np.ndarray


class ModelParams(NamedTuple):
    utility: dict
    shocks: ShockParams
    bounds: tuple


def to_device(tree, dtype=jnp.float32):
    """Rebuild the containers of ``tree`` with device arrays as leaves."""
    if isinstance(tree, dict):
        return type(tree)((k, to_device(v, dtype)) for k, v in tree.items())
    if isinstance(tree, (list, tuple)):
        return tuple(to_device(v, dtype) for v in tree)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(to_device(v, dtype) for v in tree))
    return jnp.asarray(tree, dtype)


def simulate(params, key, n=256):
    chol = jnp.linalg.cholesky(params.shocks.corr)
    eps = jax.random.normal(key, (n, 2)) @ chol.T * params.shocks.scale
    low, high = params.bounds
    index = params.utility["constant"] + eps @ params.utility["loadings"]
    return jnp.clip(index, low, high)


@jax.jit
def criterion(params, key, moments):
    out = simulate(params, key)
    return (out.mean() - moments[0]) ** 2 + (out.std() - moments[1]) ** 2


def start_values():
    return ModelParams(
        utility=OrderedDict(constant=0.5, loadings=np.array([1.0, -0.5])),
        shocks=ShockParams(np.array([0.3, 0.2]), np.array([[1.0, 0.4], [0.4, 1.0]])),
        bounds=(-2.0, 2.0))


def estimate(moments, steps=20, lr=0.1):
    params = to_device(start_values())
    key = jax.random.PRNGKey(0)
    for _ in range(steps):
        value, grads = jax.value_and_grad(criterion)(params, key, moments)
        shocks, utility = grads.shocks, grads.utility
        params = params._replace(
            utility=jax.tree.map(lambda p, g: p - lr * g, params.utility, utility),
            shocks=params.shocks._replace(scale=params.shocks.scale - lr * shocks.scale))
    return params, float(value)


if __name__ == "__main__":
    params, value = estimate(jnp.array([0.8, 0.4]))
    print("criterion", value)
