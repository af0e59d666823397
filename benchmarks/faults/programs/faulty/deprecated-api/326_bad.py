from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class EnvState:
    theta: jax.Array
    theta_dot: jax.Array
    time: jax.Array


@struct.dataclass
class EnvParams:
    max_speed: float = 8.0
    dt: float = 0.05
    g: float = 10.0
    max_steps: int = 30


class Environment:
    @partial(jax.jit, static_argnums=0)
    def step(self, key, state, action, params):
        key, key_reset = jax.random.split(key)
        obs_st, state_st, reward, done = self.step_env(state, action, params)
        obs_re, state_re = self.reset_env(key_reset, params)
        state = jax.tree_map(lambda x, y: jax.lax.select(done, x, y), state_re, state_st)
        obs = jax.lax.select(done, obs_re, obs_st)
        return obs, state, reward, done

    @partial(jax.jit, static_argnums=0)
    def reset(self, key, params):
        return self.reset_env(key, params)


class Pendulum(Environment):
    def get_obs(self, s):
        return jnp.array([jnp.cos(s.theta), jnp.sin(s.theta), s.theta_dot])

    def reset_env(self, key, params):
        high = jnp.array([jnp.pi, 1.0])
        theta, omega = jax.random.uniform(key, (2,), minval=-high, maxval=high)
        s = EnvState(theta, omega, jnp.zeros((), jnp.int32))
        return self.get_obs(s), s

    def step_env(self, s, action, params):
        acc = 1.5 * params.g * jnp.sin(s.theta) + 3.0 * jnp.clip(action, -2.0, 2.0)
        omega = jnp.clip(s.theta_dot + acc * params.dt, -params.max_speed, params.max_speed)
        cost = s.theta**2 + 0.1 * s.theta_dot**2 + 1e-3 * action**2
        s = EnvState(s.theta + omega * params.dt, omega, s.time + 1)
        return self.get_obs(s), s, -cost, s.time >= params.max_steps


def rollout(env, params, key, length=50):
    key, key_reset = jax.random.split(key)
    obs, state = env.reset(key_reset, params)
    total = 0.0
    for k in jax.random.split(key, length):
        obs, state, reward, done = env.step(k, state, -obs[2], params)
        total += reward
    return float(total), int(state.time)


if __name__ == "__main__":
    print("return, time in episode", rollout(Pendulum(), EnvParams(), jax.random.key(0)))
