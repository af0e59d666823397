"""Converts nested rollouts between device arrays and numpy for a replay writer."""
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Observation(NamedTuple):
    board: Any
    player: Any


class Transition(NamedTuple):
    obs: Observation
    action: Any
    reward: Any


def to_numpy(value):
    if isinstance(value, jax.Array):
        return np.asarray(value)
    if isinstance(value, dict):
        return {k: to_numpy(v) for k, v in value.items()}
    if hasattr(value, "_fields"):
        return type(value)._make(to_numpy(v) for v in value)
    if isinstance(value, (list, tuple)):
        return type(value)(to_numpy(v) for v in value)
    return value


def env_reset(key):
    return Observation(jax.random.bernoulli(key, 0.2, (4, 4)).astype(jnp.float32), jnp.zeros((), jnp.int32))


def env_step(key, obs, action):
    row, col = action // 4, action % 4
    reward = 1.0 - obs.board[row, col]
    return Observation(obs.board.at[row, col].set(1.0), 1 - obs.player), reward


@jax.jit
def rollout(key):
    k0, k1 = jax.random.split(key)

    def body(obs, k):
        action = jax.random.randint(k, (), 0, 16)
        nxt, reward = env_step(k, obs, action)
        return nxt, Transition(obs, action, reward)

    return jax.lax.scan(body, env_reset(k0), jax.random.split(k1, 12))


class ReplayWriter:
    def __init__(self):
        self.episodes = []

    def add(self, transitions, info):
        self.episodes.append((to_numpy(transitions), to_numpy(info)))

    def mean_return(self):
        return float(np.mean([ep.reward.sum() for ep, _ in self.episodes]))


def collect(n):
    writer = ReplayWriter()
    for key in jax.random.split(jax.random.key(0), n):
        final, transitions = rollout(key)
        writer.add(transitions, {"filled": final.board.sum(), "seeds": [jax.random.key_data(key)]})
    return writer


if __name__ == "__main__":
    writer = collect(4)
    print("episodes", len(writer.episodes), "mean return", writer.mean_return())
