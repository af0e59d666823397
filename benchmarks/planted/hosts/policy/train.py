# pyright: reportReturnType=false, reportAssignmentType=false, reportArgumentType=false
"""Plays and learns."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from .data import Episode, Walk
from .model import Layers, forward, init, policy_loss


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The project's own jit."""
    # gotcha: allow[missing-donation] a few kB
    return functools.wraps(function)(jax.jit(function))


@compiled
def act(layers: Layers, seen: jax.Array, key: jax.Array) -> jax.Array:
    """An action, drawn by its probability."""
    return jax.random.categorical(key, forward(layers, seen))


class Agent:
    """Holds what learning changes."""

    def __init__(self, seed: int, rate: float) -> None:
        self.key, init_key = jax.random.split(jax.random.key(seed))
        self.layers = init(init_key, (2, 8, 2))
        self.tx = optax.rmsprop(rate)
        self.opt_state = self.tx.init(self.layers)
        self.learn = compiled(self.make_learn(self.tx))
        self.played = 0

    @staticmethod
    def make_learn(tx: optax.GradientTransformation) -> Callable[..., Any]:
        """The update for one optimizer."""

        def learn(
            layers: Layers,
            opt_state: optax.OptState,
            seen: jax.Array,
            actions: jax.Array,
            rewards: jax.Array,
            mask: jax.Array,
        ) -> tuple[Layers, optax.OptState, jax.Array]:
            loss, grads = jax.value_and_grad(policy_loss)(layers, seen, actions, rewards, mask)
            updates, opt_state = tx.update(grads, opt_state)
            return optax.apply_updates(layers, updates), opt_state, loss

        return learn

    def play(self, walk: Walk) -> Episode:
        """One episode with the current policy."""
        episode, seen, done = Episode(), walk.reset(), False
        while not done:
            self.key, act_key = jax.random.split(self.key)
            action = np.asarray(act(self.layers, seen, act_key)).item()
            after, reward, done = walk.step(action)
            episode.add(seen, action, reward)
            seen = after
        self.played += 1
        return episode

    def update(self, episode: Episode) -> jax.Array:
        """Learn from an episode; its loss."""
        self.layers, self.opt_state, loss = self.learn(
            self.layers,
            self.opt_state,
            episode.seen,
            episode.actions,
            episode.rewards,
            episode.mask,
        )
        return loss


def norms(layers: Layers) -> list[float]:
    """The size of each kernel."""
    return [float(value) for value in jax.device_get([jnp.abs(w).sum() for w, _ in layers])]


def main() -> dict[str, float]:
    agent, walk = Agent(seed=0, rate=1e-2), Walk()
    losses, rewards = [], 0.0
    for _ in range(6):
        episode = agent.play(walk)
        losses.append(agent.update(episode))
        rewards += float(episode.rewards.sum())
    with open("layers.pkl", "wb") as file:
        pickle.dump(jax.device_get(agent.layers), file)
    total = float(np.sum(jax.device_get(losses)))
    return {"train": total, "rewards": rewards, "norm": sum(norms(agent.layers))}


if __name__ == "__main__":
    print(main())
