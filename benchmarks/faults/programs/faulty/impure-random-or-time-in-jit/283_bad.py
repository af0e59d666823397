from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


class Backend:
    """Uniform array functions for several array libraries."""

    def __init__(self, seed=7):
        self._rng = np.random.RandomState(seed)

    def normal(self, shape):
        return jnp.asarray(self._rng.normal(size=shape))

    def kron(self, *ops):
        out = ops[0]
        for op in ops[1:]:
            out = jnp.kron(out, op)
        return out


xp = Backend()
Z = jnp.diag(jnp.array([1.0, -1.0]))
X = jnp.array([[0.0, 1.0], [1.0, 0.0]])


def rotation(angle):
    c, s = jnp.cos(angle / 2), jnp.sin(angle / 2)
    return jnp.array([[c, -s], [s, c]])


def noisy_circuit(angles, noise):
    jitter = noise * xp.normal(angles.shape)
    state = jnp.zeros(4).at[0].set(1.0)
    for a in angles + jitter:
        state = xp.kron(rotation(a[0]), rotation(a[1])) @ state
    return state


def energy(angles, noise):
    psi = noisy_circuit(angles, noise)
    return psi @ (xp.kron(Z, Z) + 0.5 * xp.kron(X, jnp.eye(2))) @ psi


@partial(jax.jit, static_argnames="noise")
def step(angles, noise, lr=0.1):
    value, g = jax.value_and_grad(energy)(angles, noise)
    return angles - lr * g, value


def main():
    angles = jnp.full((3, 2), 0.4)
    samples = [float(step(angles, noise=0.2)[1]) for _ in range(8)]
    print("energy samples of the same circuit: std", np.std(samples))
    for _ in range(20):
        angles, value = step(angles, noise=0.2)
    print("optimised", float(value))


if __name__ == "__main__":
    main()
