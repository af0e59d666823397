"""State, loss and how a tree is described."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax


class State(NamedTuple):
    """Everything that a step changes."""

    step: jax.Array
    params: dict[str, jax.Array]
    opt_state: optax.OptState
    average: dict[str, jax.Array]


def optimizer() -> optax.GradientTransformation:
    return optax.chain(
        optax.scale_by_adam(),
        optax.add_decayed_weights(1e-4, mask={"w": True, "b": False}),
        optax.scale_by_learning_rate(0.05),
    )


def create(features: int, seed: int) -> State:
    """A fresh state; the average starts as a copy."""
    key = jax.random.key(seed)
    params = {"w": 0.1 * jax.random.normal(key, (features, 1)), "b": jnp.zeros(1)}
    average = jax.tree.map(jnp.copy, params)
    return State(jnp.zeros((), jnp.int32), params, optimizer().init(params), average)


def predict(params: dict[str, jax.Array], inputs: jax.Array) -> jax.Array:
    return inputs @ params["w"] + params["b"]


def squared(params: dict[str, jax.Array], inputs: jax.Array, targets: jax.Array) -> jax.Array:
    return jnp.mean((predict(params, inputs) - targets) ** 2)


def describe(tree: Any) -> Any:
    """The shapes in a tree, in plain containers."""
    if isinstance(tree, State):
        return {"state": {name: describe(part) for name, part in tree._asdict().items()}}
    if isinstance(tree, tuple):
        return [describe(part) for part in tree]
    if isinstance(tree, dict):
        return {name: describe(part) for name, part in tree.items()}
    return list(tree.shape)
