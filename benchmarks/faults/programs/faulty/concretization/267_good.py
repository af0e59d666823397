import dataclasses

import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class SimState:
    pos: jax.Array
    vel: jax.Array
    timestep: jax.Array
    num_timesteps: int = struct.field(pytree_node=False, default=20)

    @property
    def remaining_timesteps(self):
        return self.num_timesteps - self.timestep


@dataclasses.dataclass(frozen=True)
class EnvConfig:
    max_objects: int = 8
    dt: float = 0.1
    drag: float = 0.02


class Planner:
    def __init__(self, cfg):
        self.cfg = cfg

    def step(self, state):
        accel = -0.5 * state.pos - self.cfg.drag * state.vel
        vel = state.vel + self.cfg.dt * accel
        return state.replace(
            pos=state.pos + self.cfg.dt * vel, vel=vel, timestep=state.timestep + 1
        )

    def rollout(self, state):
        return jax.lax.fori_loop(
            0, state.remaining_timesteps, lambda _, s: self.step(s), state
        )


def make_scenarios(cfg, n, key):
    for k in jax.random.split(key, n):
        kp, kv = jax.random.split(k)
        yield SimState(
            pos=jax.random.normal(kp, (cfg.max_objects, 2)),
            vel=jax.random.normal(kv, (cfg.max_objects, 2)),
            timestep=jnp.array(5),
        )


def benchmark():
    cfg = EnvConfig()
    planner = Planner(cfg)
    rollout = jax.jit(planner.rollout)
    for state in make_scenarios(cfg, 3, jax.random.key(0)):
        final = rollout(state)
        print(int(final.timestep), float(jnp.abs(final.pos).mean()))


if __name__ == "__main__":
    benchmark()
