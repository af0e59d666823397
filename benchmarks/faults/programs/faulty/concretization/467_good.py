"""Newton solver for a nonlinear resistor network with a cached sparse pattern."""
import jax
import jax.numpy as jnp
import numpy as np


class Pattern:
    """Symbolic analysis: which entries of the conductance matrix are filled."""

    def __init__(self, rows, cols, size):
        self.rows, self.cols, self.size = rows, cols, size


def analyze(rows, cols):
    size = jnp.maximum(jnp.max(rows), jnp.max(cols)) + 1
    return Pattern(rows, cols, size)


def assemble(pattern, values):
    g = jnp.zeros((pattern.size, pattern.size))
    g = g.at[pattern.rows, pattern.cols].add(-values)
    g = g.at[pattern.cols, pattern.rows].add(-values)
    return g - jnp.diag(g.sum(axis=1))


def conductance(v, rows, cols, g0):
    dv = v[rows] - v[cols]
    return g0 / (1.0 + 0.5 * dv**2)


def make_newton_step(pattern):
    @jax.jit
    def newton_step(v, g0, injected):
        g = assemble(pattern, conductance(v, pattern.rows, pattern.cols, g0))
        residual = g @ v - injected
        delta = jnp.linalg.solve(g[1:, 1:], residual[1:])
        return v.at[1:].add(-delta)

    return newton_step


def solve(edges, g0, injected, iters=8):
    pattern = analyze(edges[:, 0], edges[:, 1])
    pattern.size = int(pattern.size)
    step = make_newton_step(pattern)
    v = jnp.zeros(len(injected))
    for _ in range(iters):
        v = step(v, g0, injected)
    return v


if __name__ == "__main__":
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]])
    g0 = jnp.array([1.0, 0.5, 2.0, 1.0, 0.3])
    injected = jnp.array([-1.0, 0.0, 1.0, 0.0])
    print("node voltages", solve(edges, g0, injected))
