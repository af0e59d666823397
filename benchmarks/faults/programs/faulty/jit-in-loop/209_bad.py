"""Solver for driven two-level systems, called once per pulse of a calibration."""
import jax
import jax.numpy as jnp
import numpy as np

X = np.array([[0, 1], [1, 0]], np.complex64)
Z = np.array([[1, 0], [0, -1]], np.complex64)


class Solver:
    def __init__(self, frequency, coupling, dt=0.05):
        self.static = jnp.asarray(0.5 * frequency * Z)
        self.drive = jnp.asarray(coupling * X)
        self.dt = dt

    def _rk4_step(self, state, amplitude):
        def rhs(y):
            return -1j * (self.static + amplitude * self.drive) @ y
        k1 = rhs(state)
        k2 = rhs(state + 0.5 * self.dt * k1)
        k3 = rhs(state + 0.5 * self.dt * k2)
        k4 = rhs(state + self.dt * k3)
        return state + self.dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    def solve(self, samples, y0):
        """Evolve y0 under the sampled envelope."""

        def sim_function(samples, y0):
            step = lambda y, a: (self._rk4_step(y, a), None)
            return jax.lax.scan(step, y0, samples)[0]

        return jax.jit(sim_function)(jnp.asarray(samples), y0)


def gaussian_envelope(amplitude, n=200, sigma=40.0):
    t = np.arange(n)
    return (amplitude * np.exp(-0.5 * ((t - n / 2) / sigma) ** 2)).astype(np.float32)


def rabi_experiment(solver, amplitudes):
    ground = jnp.array([1, 0], jnp.complex64)
    excited = []
    for amplitude in amplitudes:
        final = solver.solve(gaussian_envelope(amplitude), ground)
        excited.append(float(jnp.abs(final[1]) ** 2))
    return np.array(excited)


if __name__ == "__main__":
    solver = Solver(frequency=0.02, coupling=0.5)
    populations = rabi_experiment(solver, np.linspace(0, 1, 10))
    print("best amplitude index", int(populations.argmax()), populations.max())
