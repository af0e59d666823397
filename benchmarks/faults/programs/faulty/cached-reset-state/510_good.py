"""Batched ant-in-a-maze style environment with automatic resets."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    pos: jax.Array
    goal: jax.Array
    t: jax.Array
    done: jax.Array
    info: dict


class GoalEnv:
    horizon = 10

    def reset(self, rng):
        k1, k2 = jax.random.split(rng)
        pos = jax.random.uniform(k1, (2,), minval=-1.0)
        goal = jax.random.uniform(k2, (2,), minval=-1.0)
        return State(pos, goal, jnp.zeros(()), jnp.zeros(()), {})

    def step(self, state, action):
        pos = jnp.clip(state.pos + 0.1 * action, -1.0, 1.0)
        t = state.t + 1.0
        return state._replace(pos=pos, t=t, done=(t >= self.horizon).astype(jnp.float32))


class AutoReset:
    def __init__(self, env):
        self.env = env

    def reset(self, rng):
        rng, sub = jax.random.split(rng)
        return self.env.reset(sub)._replace(info={"rng": rng})

    def step(self, state, action):
        info = state.info
        nxt = self.env.step(state._replace(info={}), action)
        done = nxt.done > 0
        rng, sub = jax.random.split(info["rng"])
        fresh = self.env.reset(sub)
        pos = jnp.where(done, fresh.pos, nxt.pos)
        goal = jnp.where(done, fresh.goal, nxt.goal)
        return nxt._replace(pos=pos, goal=goal, t=jnp.where(done, 0.0, nxt.t), info={"rng": rng})


def rollout(env, policy, key, n_envs, steps):
    state = jax.vmap(env.reset)(jax.random.split(key, n_envs))

    def body(state, _):
        action = policy(state)
        state = jax.vmap(env.step)(state, action)
        return state, (state.goal, state.done)

    return jax.lax.scan(body, state, None, length=steps)


def go_to_goal(state):
    return jnp.clip(5.0 * (state.goal - state.pos), -1.0, 1.0)


if __name__ == "__main__":
    env = AutoReset(GoalEnv())
    run = jax.jit(lambda k: rollout(env, go_to_goal, k, 4, 50))
    _, (goals, done) = run(jax.random.key(0))
    starts = goals[::10, 0]
    print("episodes finished", int(done.sum()), "distinct goals of environment 0:",
          len({tuple(map(float, g)) for g in starts}))
