"""Objective functions for a boundary optimisation with adjustable targets."""
import jax
import jax.numpy as jnp
import numpy as np


class Objective:
    def __init__(self, target, weight=1.0):
        self.target = jnp.asarray(target)
        self.weight = weight
        self.built = False

    def build(self, n_theta=64, use_jit=True):
        theta = np.linspace(0, 2 * np.pi, n_theta, endpoint=False)
        self.cos = jnp.cos(theta[:, None] * np.arange(4))
        if use_jit:
            self._gradient = jax.jit(jax.grad(self.compute_scalar))
        self.built = True

    def gradient(self, coeffs):
        return self._gradient(coeffs, self.target, self.weight)

    def residual(self, values, target, weight):
        return weight * (values - target)

    def compute_scalar(self, coeffs, target, weight):
        return 0.5 * jnp.sum(self.compute(coeffs, target, weight) ** 2)


class MeanRadius(Objective):
    def compute(self, coeffs, target, weight):
        return self.residual(jnp.array([jnp.mean(self.cos @ coeffs)]), target, weight)


class Optimizer:
    def __init__(self, step_size=0.3, maxiter=60):
        self.step_size = step_size
        self.maxiter = maxiter

    def minimize(self, objective, coeffs):
        for _ in range(self.maxiter):
            coeffs = coeffs - self.step_size * objective.gradient(coeffs)
        return coeffs


def continuation(targets):
    objective = MeanRadius(target=targets[0])
    objective.build()
    optimizer = Optimizer()
    coeffs = jnp.array([0.8, 0.1, 0.0, 0.0])
    reached = []
    for target in targets:
        objective.target = jnp.asarray(target)
        coeffs = optimizer.minimize(objective, coeffs)
        reached.append(round(float(jnp.mean(objective.cos @ coeffs)), 3))
    return reached


if __name__ == "__main__":
    print("reached", continuation([1.0, 1.5, 2.0]))
