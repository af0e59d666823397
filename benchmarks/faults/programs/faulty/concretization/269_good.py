from typing import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np


class PulseModel:
    def __init__(self, drift, controls):
        self.drift = jnp.asarray(drift)
        self.controls = jnp.asarray(controls)

    def rhs(self, coeffs):
        def generator(t, y):
            env = jnp.array([c * jnp.sin(2.0 * (i + 1) * t) for i, c in enumerate(coeffs)])
            h = self.drift + jnp.tensordot(env, self.controls, axes=1)
            return -1j * (h @ y)

        return generator


def fixed_step_solve(rhs: Callable, t_span: Sequence[float], y0, max_dt: float):
    span = t_span[1] - t_span[0]
    n_steps = int(np.ceil(span / max_dt))
    h = span / n_steps

    def step(y, i):
        t = t_span[0] + h * i
        k1 = rhs(t, y)
        k2 = rhs(t + 0.5 * h, y + 0.5 * h * k1)
        return y + h * k2, None

    y, _ = jax.lax.scan(step, y0, jnp.arange(n_steps))
    return y


def infidelity(coeffs, model, target):
    y0 = jnp.array([1.0 + 0j, 0.0 + 0j])
    y = fixed_step_solve(model.rhs(coeffs), (0.0, 0.5), y0, max_dt=0.02)
    return 1.0 - jnp.abs(jnp.vdot(target, y)) ** 2


def optimise(iters=5):
    sx = np.array([[0, 1], [1, 0]], complex)
    sz = np.array([[1, 0], [0, -1]], complex)
    model = PulseModel(0.5 * sz, np.stack([sx, sz]))
    target = jnp.array([0.0 + 0j, 1.0 + 0j])
    loss = lambda c: infidelity(c, model, target)
    print("eager", float(loss(jnp.array([2.0, 0.3]))))
    step = jax.jit(jax.value_and_grad(loss))
    coeffs = jnp.array([2.0, 0.3])
    for _ in range(iters):
        value, g = step(coeffs)
        coeffs = coeffs - 0.5 * g
    print("final", float(value))


if __name__ == "__main__":
    optimise()
