"""Least squares fit of a damped oscillator to decay curves."""
from dataclasses import dataclass, asdict

import jax
import jax.numpy as jnp


@dataclass
class Guess:
    amplitude: float = 2.0
    decay: float = 1.0
    omega: float = 5.0
    offset: float = 0.0


def pack(guess: Guess):
    values = asdict(guess)
    return jnp.array([values[k] for k in sorted(values)]), sorted(values)


def model(theta, names, t):
    p = dict(zip(names, theta))
    return p["amplitude"] * jnp.exp(-p["decay"] * t) * jnp.cos(p["omega"] * t) + p["offset"]


def residuals(theta, names, t, y):
    return model(theta, names, t) - y


def gauss_newton(theta, names, t, y, iters=15, damping=1e-2):
    jac = jax.jit(jax.jacrev(lambda th: residuals(th, names, t, y)))
    for _ in range(iters):
        r = residuals(theta, names, t, y)
        J = jac(theta)
        step = jnp.linalg.solve(J.T @ J + damping * jnp.eye(len(theta)), J.T @ r)
        theta = theta - step
    return theta


def synthetic(key, n=200):
    t = jnp.linspace(0.0, 3.0, n)
    clean = 1.7 * jnp.exp(-0.8 * t) * jnp.cos(5.3 * t) + 0.2
    return t, clean + 0.02 * jax.random.normal(key, (n,))


def main():
    t, y = synthetic(jax.random.PRNGKey(0))
    theta, names = pack(Guess())
    fitted = gauss_newton(theta, names, t, y)
    print(dict(zip(names, [round(float(v), 3) for v in fitted])))


if __name__ == "__main__":
    main()
