"""Objective built from a transform matrix, in the style of an equilibrium code."""
import jax
import jax.numpy as jnp
import numpy as np
import optax


class FourierTransform:
    def __init__(self, nodes, modes):
        theta = np.linspace(0, 2 * np.pi, nodes, endpoint=False)
        k = np.arange(modes)
        self.matrix = jnp.asarray(np.cos(theta[:, None] * k), jnp.float32)
        self.derivative = jnp.asarray(-k * np.sin(theta[:, None] * k), jnp.float32)

    def __call__(self, coeffs):
        return self.matrix @ coeffs, self.derivative @ coeffs


class ForceBalance:
    """Weighted residual of the force balance on a fixed set of nodes."""

    def __init__(self, nodes=4000, modes=800, weight=1.0):
        self.transform = FourierTransform(nodes, modes)
        self.pressure = jnp.linspace(1.0, 0.0, nodes)
        self.weight = weight
        self.modes = modes
        self.build()

    def build(self):
        self._value_and_grad = jax.jit(lambda x: jax.value_and_grad(self.compute)(x))

    def compute(self, x):
        r, dr = self.transform(x)
        f = r * dr + self.pressure * r
        return self.weight * jnp.mean(f**2)

    def value_and_grad(self, x):
        return self._value_and_grad(x)


def minimize(objective, x0, lr=1e-3, maxiter=4):
    tx = optax.adam(lr)
    state = tx.init(x0)
    x = x0
    for _ in range(maxiter):
        value, grad = objective.value_and_grad(x)
        updates, state = tx.update(grad, state)
        x = optax.apply_updates(x, updates)
    return x, value


def main():
    objective = ForceBalance()
    x0 = jnp.zeros(objective.modes).at[0].set(1.0).at[1].set(0.1)
    x, value = minimize(objective, x0)
    print("f", float(value), "norm", float(jnp.linalg.norm(x)))


if __name__ == "__main__":
    main()
