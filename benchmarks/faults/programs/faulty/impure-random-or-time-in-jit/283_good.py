from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


class Backend:
    """Uniform array functions for several array libraries."""

    def normal(self, key, shape):
        return jax.random.normal(key, shape)

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


def noisy_circuit(key, angles, noise):
    jitter = noise * xp.normal(key, angles.shape)
    state = jnp.zeros(4).at[0].set(1.0)
    for a in angles + jitter:
        state = xp.kron(rotation(a[0]), rotation(a[1])) @ state
    return state


def energy(angles, key, noise):
    psi = noisy_circuit(key, angles, noise)
    return psi @ (xp.kron(Z, Z) + 0.5 * xp.kron(X, jnp.eye(2))) @ psi


@partial(jax.jit, static_argnames="noise")
def step(angles, key, noise, lr=0.1):
    value, g = jax.value_and_grad(energy)(angles, key, noise)
    return angles - lr * g, value


def main():
    angles = jnp.full((3, 2), 0.4)
    keys = jax.random.split(jax.random.key(7), 28)
    samples = [float(step(angles, k, noise=0.2)[1]) for k in keys[:8]]
    print("energy samples of the same circuit: std", np.std(samples))
    for k in keys[8:]:
        angles, value = step(angles, k, noise=0.2)
    print("optimised", float(value))


if __name__ == "__main__":
    main()
