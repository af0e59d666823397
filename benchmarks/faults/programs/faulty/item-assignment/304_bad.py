from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass
class GridConfig:
    n: int = 32
    length: float = 1.0
    viscosity: float = 0.02
    dt: float = 2e-3


class HeatRod:
    def __init__(self, cfg):
        self.cfg = cfg
        self.dx = cfg.length / (cfg.n - 1)

    def initial(self):
        x = jnp.linspace(0.0, self.cfg.length, self.cfg.n)
        return jnp.exp(-100.0 * (x - 0.5) ** 2)

    def laplacian(self, u):
        lap = jnp.zeros_like(u)
        lap[1:-1] += (u[2:] - 2.0 * u[1:-1] + u[:-2]) / self.dx**2
        return lap

    def step(self, u, heating):
        u = u + self.cfg.dt * (self.cfg.viscosity * self.laplacian(u) + heating)
        return u

    def simulate(self, heating, steps=50):
        def body(u, _):
            u = self.step(u, heating)
            return u, u.max()

        return jax.lax.scan(body, self.initial(), None, length=steps)


def control_cost(amplitude, rod, target):
    x = jnp.linspace(0.0, 1.0, rod.cfg.n)
    u, _ = rod.simulate(amplitude * jnp.sin(jnp.pi * x))
    return jnp.mean((u - target) ** 2)


def main():
    rod = HeatRod(GridConfig())
    target = jnp.full(rod.cfg.n, 0.3)
    grad = jax.jit(jax.value_and_grad(lambda a: control_cost(a, rod, target)))
    amp = jnp.asarray(0.0)
    for _ in range(10):
        cost, g = grad(amp)
        amp = amp - 20.0 * g
    print("amplitude", float(amp), "cost", float(cost))


if __name__ == "__main__":
    main()
