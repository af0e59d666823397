"""Subsystem dynamics: integrate a few particles and write them back into the whole."""
import jax
import jax.numpy as jnp
import numpy as np


@jax.tree_util.register_pytree_node_class
class ParticleSystem:
    def __init__(self, position, velocity, mass):
        self.position = position
        self.velocity = velocity
        self.mass = mass

    def tree_flatten(self):
        return (self.position, self.velocity, self.mass), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

    def subset(self, index):
        return ParticleSystem(self.position[index], self.velocity[index], self.mass[index])

    @jax.jit
    def set_subset(self, index, other):
        position = self.position.at[index].set(other.position)
        velocity = self.velocity.at[index].set(other.velocity)
        return ParticleSystem(position, velocity, self.mass)

    def kinetic_energy(self):
        return 0.5 * jnp.sum(self.mass[:, None] * self.velocity**2)


def harmonic_force(position, k=1.0):
    return -k * position


@jax.jit
def velocity_verlet(system, dt):
    acc = harmonic_force(system.position) / system.mass[:, None]
    half = system.velocity + 0.5 * dt * acc
    pos = system.position + dt * half
    acc = harmonic_force(pos) / system.mass[:, None]
    return ParticleSystem(pos, half + 0.5 * dt * acc, system.mass)


def simulate(system, groups, dt, steps):
    for _ in range(steps):
        for index in groups:
            part = velocity_verlet(system.subset(index), dt)
            system = system.set_subset(index, part)
    return system


def main(n=12):
    rng = np.random.default_rng(0)
    system = ParticleSystem(
        jnp.asarray(rng.normal(size=(n, 3)), jnp.float32), jnp.zeros((n, 3)), jnp.ones(n))
    groups = [jnp.arange(0, n, 2), jnp.arange(1, n, 2)]
    before = float(system.kinetic_energy())
    system = simulate(system, groups, dt=0.05, steps=20)
    print("kinetic energy", before, "->", float(system.kinetic_energy()))


if __name__ == "__main__":
    main()
