"""Memory-chain task with a vectorised functional environment and evolution strategies."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Timestep(NamedTuple):
    obs: jax.Array
    context: jax.Array
    t: jax.Array
    reward: jax.Array
    total: jax.Array


class MemoryChain:
    def __init__(self, length=6, num_envs=16):
        self.length, self.num_envs = length, num_envs

    def reset(self, key):
        context = jax.random.bernoulli(key, 0.5, (self.num_envs,)).astype(jnp.int32)
        zeros = jnp.zeros(self.num_envs, jnp.int32)
        rewards = jnp.zeros(self.num_envs, jnp.float32)
        return Timestep(self.observe(context, zeros), context, zeros, rewards, rewards)

    def observe(self, context, t):
        cue = jnp.where(t == 0, 2.0 * context - 1.0, 0.0)
        obs = jnp.stack([cue, 1.0 - t / self.length, (t == self.length - 1) * 1.0], axis=-1)
        return obs.astype(jnp.float32)

    def step(self, ts, action):
        t = ts.t + 1
        last = t == self.length
        right = (action == ts.context).astype(jnp.float32)
        reward = jnp.where(last, 2.0 * right - 1.0, 0.0)
        return Timestep(self.observe(ts.context, t), ts.context, t, reward, ts.total + reward)


def init_policy(key, hidden=8):
    k1, k2, k3 = jax.random.split(key, 3)
    return {"in": jax.random.normal(k1, (3, hidden)), "rec": jax.random.normal(k2, (hidden, hidden)) / hidden,
            "out": jax.random.normal(k3, (hidden, 2))}


def make_env_step(env):
    @jax.jit
    def env_step(policy, ts, memory):
        memory = jnp.tanh(ts.obs @ policy["in"] + memory @ policy["rec"])
        action = jnp.argmax(memory @ policy["out"], axis=-1)
        return env.step(ts, action), memory

    return env_step


def episode_return(env, env_step, policy, key, hidden=8):
    ts, memory = env.reset(key), jnp.zeros((env.num_envs, hidden))
    for _ in range(env.length):
        ts, memory = env_step(policy, ts, memory)
    return ts.total.mean()


def evolve(env, generations=4, population=4, sigma=0.3):
    key, env_step = jax.random.key(0), make_env_step(env)
    best, score = init_policy(key), -np.inf
    for g in range(generations):
        for k in jax.random.split(jax.random.fold_in(key, g), population):
            noise = init_policy(k)
            cand = jax.tree.map(lambda p, n: p + sigma * n, best, noise)
            value = float(episode_return(env, env_step, cand, k))
            if value > score:
                best, score = cand, value
    return score


if __name__ == "__main__":
    print("score", evolve(MemoryChain()))
