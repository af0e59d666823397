from typing import Any, Dict

import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class EnvState:
    qpos: jax.Array
    qvel: jax.Array
    obs: jax.Array
    reward: jax.Array
    done: jax.Array
    info: Dict[str, Any]


class CartpoleBalance:
    """Pole on a cart, starts near the upright position."""

    def __init__(self, ctrl_dt=0.02, init_noise=0.05):
        self.ctrl_dt = ctrl_dt
        self.init_noise = init_noise

    def _obs(self, qpos, qvel):
        return jnp.concatenate([qpos[:1], jnp.cos(qpos[1:]), jnp.sin(qpos[1:]), qvel])

    def reset(self, rng):
        rng, pos_rng, vel_rng = jax.random.split(rng, 3)
        qpos = self.init_noise * jax.random.normal(pos_rng, (2,))
        qvel = self.init_noise * jax.random.normal(vel_rng, (2,))
        return EnvState(
            qpos=qpos,
            qvel=qvel,
            obs=self._obs(qpos, qvel),
            reward=jnp.zeros(()),
            done=jnp.zeros(()),
            info={"rng": rng},
        )

    def step(self, state, action):
        force = jnp.clip(action, -1.0, 1.0) * 10.0
        acc = jnp.array([force, -9.81 * jnp.sin(state.qpos[1]) + force * 0.1])
        qvel = state.qvel + self.ctrl_dt * acc
        qpos = state.qpos + self.ctrl_dt * qvel
        reward = 0.5 * (1.0 + jnp.cos(qpos[1]))
        return state.replace(
            qpos=qpos, qvel=qvel, obs=self._obs(qpos, qvel), reward=reward
        )


def evaluate(env, num_envs=256, seed=0):
    keys = jax.random.split(jax.random.key(seed), num_envs)
    states = jax.jit(jax.vmap(env.reset))(keys)
    corr = jnp.corrcoef(states.qpos[:, 0], states.qvel[:, 0])[0, 1]
    print(f"corr(qpos, qvel) at reset: {corr:.3f}")
    step = jax.jit(jax.vmap(env.step))
    for _ in range(10):
        states = step(states, jnp.zeros(num_envs))
    print(f"reward {states.reward.mean():.4f}")


if __name__ == "__main__":
    evaluate(CartpoleBalance())
