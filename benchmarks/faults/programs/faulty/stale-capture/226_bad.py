"""Column physics model whose parameters are varied between runs."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass
class PhysicsParameters:
    vdiff_timescale: float = 24.0
    relax_timescale: float = 48.0
    surface_temperature: float = 300.0


class Physics:
    def __init__(self, parameters):
        self.parameters = parameters

    def tendencies(self, temperature):
        p = self.parameters
        lap = jnp.convolve(temperature, jnp.array([1.0, -2.0, 1.0]), mode="same")
        lap = lap.at[0].set(0.0).at[-1].set(0.0)
        diffusion = lap / p.vdiff_timescale
        forcing = jnp.zeros_like(temperature).at[0].set(
            (p.surface_temperature - temperature[0]) / p.relax_timescale)
        return diffusion + forcing


class Model:
    def __init__(self, physics, levels=8, dt=1.0):
        self.physics = physics
        self.levels = levels
        self.dt = dt
        self._integrate = jax.jit(self._run_from_state, static_argnames=("steps",))

    def _run_from_state(self, state, steps):
        def step(t, _):
            return t + self.dt * self.physics.tendencies(t), None
        return jax.lax.scan(step, state, None, length=steps)[0]

    def run(self, state, hours):
        return self._integrate(state, steps=int(hours / self.dt))

    def initial_state(self):
        return jnp.linspace(290.0, 220.0, self.levels)


def sensitivity(values):
    model = Model(Physics(PhysicsParameters()))
    means = []
    for value in values:
        model.physics.parameters.surface_temperature = value
        final = model.run(model.initial_state(), hours=240)
        means.append(float(final.mean()))
    return means


if __name__ == "__main__":
    print("means", np.round(sensitivity([295.0, 300.0, 305.0]), 3))
