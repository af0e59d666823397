# pyright: reportArgumentType=false
"""Fits the curve."""

from __future__ import annotations

import pickle
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from .data import Points
from .model import Perceptron, squared_error


@nnx.jit
def train_step(
    model: Perceptron, optimizer: nnx.Optimizer, x: jax.Array, y: jax.Array
) -> jax.Array:
    """One update in place; the loss before it."""
    loss, grads = nnx.value_and_grad(squared_error)(model, x, y)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def eval_step(model: Perceptron, x: jax.Array, y: jax.Array) -> jax.Array:
    return squared_error(model, x, y)


def is_matrix(params: nnx.State) -> nnx.State:
    return jax.tree.map(lambda leaf: leaf.ndim > 1, params)


def make_optimizer(model: Perceptron, rate: float) -> nnx.Optimizer:
    tx = optax.adamw(rate, weight_decay=1e-4, mask=is_matrix)
    return nnx.Optimizer(model, tx, wrt=nnx.Param)


def fit(
    model: Perceptron, optimizer: nnx.Optimizer, points: Points, steps: int, size: int
) -> tuple[float, float]:
    """Mean loss of the last steps, and seconds a step."""
    rng = np.random.default_rng(1)
    model.train()
    losses = []
    x, y = points.sample(rng, size)
    jax.block_until_ready(train_step(model, optimizer, x, y))
    start = time.perf_counter()
    for _ in range(steps):
        x, y = points.sample(rng, size)
        loss = train_step(model, optimizer, x, y)
        losses.append(loss)
    jax.block_until_ready(losses)
    seconds = (time.perf_counter() - start) / steps
    return float(jnp.mean(jnp.stack(losses[-5:]))), seconds


def evaluate(model: Perceptron, points: Points, size: int) -> float:
    """Mean loss over whole batches."""
    model.eval()
    losses = []
    for first in range(0, len(points) - size + 1, size):
        x = points.x[first : first + size]
        y = points.y[first : first + size]
        losses.append(eval_step(model, x, y))
    return float(np.mean(jax.device_get(losses)))


def save(model: Perceptron, path: Path) -> None:
    state = nnx.to_pure_dict(nnx.state(model, nnx.Param))
    path.write_bytes(pickle.dumps(jax.device_get(state)))


def restore(model: Perceptron, path: Path) -> None:
    """Put saved parameters into a model of the same shapes."""
    state = nnx.state(model, nnx.Param)
    saved = pickle.loads(path.read_bytes())
    shapes = jax.tree.map(jnp.shape, nnx.to_pure_dict(state))
    if jax.tree.map(jnp.shape, saved) != shapes:
        raise ValueError("the saved model has another shape")
    nnx.replace_by_pure_dict(state, saved)
    nnx.update(model, state)


def main() -> dict[str, float]:
    points, held_out = Points(64), Points(32, seed=1)
    model = Perceptron(8, rngs=nnx.Rngs(0))
    optimizer = make_optimizer(model, 1e-2)
    before = evaluate(model, held_out, 16)
    loss, _ = fit(model, optimizer, points, steps=12, size=16)
    after = evaluate(model, held_out, 16)
    save(model, Path("curve.pkl"))
    copy = Perceptron(8, rngs=nnx.Rngs(1))
    restore(copy, Path("curve.pkl"))
    return {"train": loss, "before": before, "after": after}


if __name__ == "__main__":
    print(main())

# gotcha: allow-file[missing-donation] a few kB
