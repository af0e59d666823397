"""Lazy evaluation of log factors: constants are folded on the host, the rest on device."""
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np


@dataclass
class Factor:
    name: str
    value: object
    weight: float = 1.0


def to_data(x):
    """Returns a hashable constant where one is known, otherwise the array."""
    if isinstance(x, (int, float)):
        return float(x)
    if isinstance(x, jax.core.Tracer):
        return x
    if isinstance(x, jax.Array) and x.ndim == 0:
        return float(x)
    return jnp.asarray(x)


def contract(factors):
    """Sums factors, folding the constants first."""
    const, rest = 0.0, []
    for f in factors:
        data = to_data(f.value)
        if isinstance(data, float):
            const += f.weight * data
        else:
            rest.append(f.weight * jnp.sum(data))
    return sum(rest) + const


def model_factors(params, data):
    mu, log_sigma = params["mu"], params["log_sigma"]
    z = (data - mu) * jnp.exp(-log_sigma)
    return [
        Factor("likelihood", -0.5 * z**2 - log_sigma),
        Factor("prior_mu", -0.5 * mu**2, 0.1),
        Factor("prior_sigma", -0.5 * log_sigma**2, 0.1),
        Factor("normaliser", -0.5 * float(np.log(2 * np.pi)) * data.shape[0]),
    ]


def log_joint(params, data):
    return contract(model_factors(params, data))


def fit(data, steps=100, lr=2e-3):
    params = {"mu": jnp.zeros(()), "log_sigma": jnp.zeros(())}
    print("log joint at start", log_joint(params, data))
    step = jax.jit(jax.value_and_grad(log_joint))
    for _ in range(steps):
        value, grads = step(params, data)
        params = jax.tree.map(lambda p, g: p + lr * g, params, grads)
    return params, value


if __name__ == "__main__":
    data = 1.5 + 0.5 * jax.random.normal(jax.random.key(0), (50,))
    params, value = fit(data)
    print(params, float(value))
