"""Trains the classifier for a few epochs."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax.training import train_state

from .data import CLASSES, FEATURES, batches, make, normalise
from .model import Classifier, accuracy, cross_entropy, make_optimizer

BATCH = 16
EPOCHS = 3


class State(train_state.TrainState):
    """What a step changes, with the running statistics of the batches."""

    batch_stats: Any


def create_state(key: jax.Array, model: Classifier, steps: int) -> State:
    """A fresh state."""
    variables = model.init(key, jnp.zeros((1, FEATURES)), train=False)
    return State.create(
        apply_fn=model.apply,
        params=variables["params"],
        tx=make_optimizer(0.05, steps),
        batch_stats=variables["batch_stats"],
    )


@jax.jit
def train_step(
    state: State, batch: dict[str, jax.Array], key: jax.Array
) -> tuple[State, dict[str, jax.Array]]:
    """One update, and what it measured."""
    dropout_key = jax.random.fold_in(key, state.step)

    def loss_fn(params: Any) -> tuple[jax.Array, tuple[jax.Array, Any]]:
        variables = {"params": params, "batch_stats": state.batch_stats}
        logits, updates = state.apply_fn(
            variables,
            batch["image"],
            train=True,
            mutable=["batch_stats"],
            rngs={"dropout": dropout_key},
        )
        loss = cross_entropy(logits, batch["label"])
        return loss, (logits, updates)

    grad_fn = jax.value_and_grad(loss_fn, has_aux=True)
    (loss, (logits, updates)), grads = grad_fn(state.params)
    state = state.apply_gradients(grads=grads)
    state = state.replace(batch_stats=updates["batch_stats"])
    metrics = {"loss": loss, "accuracy": accuracy(logits, batch["label"])}
    return state, metrics


@jax.jit
def eval_step(state: State, batch: dict[str, jax.Array]) -> dict[str, jax.Array]:
    variables = {"params": state.params, "batch_stats": state.batch_stats}
    logits = state.apply_fn(variables, batch["image"], train=False)
    loss = cross_entropy(logits, batch["label"])
    return {"loss": loss, "accuracy": accuracy(logits, batch["label"])}


def evaluate(state: State, images: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Mean over the held-out batches."""
    results = []
    for batch in batches(images, labels, BATCH, seed=0):
        results.append(eval_step(state, batch))
    mean = jax.tree.map(lambda *values: np.mean(values), *jax.device_get(results))
    return {name: float(value) for name, value in mean.items()}


def save(state: State, path: Path) -> None:
    """Parameters and statistics, as numpy arrays."""
    arrays = jax.device_get({"params": state.params, "batch_stats": state.batch_stats})
    with path.open("wb") as file:
        pickle.dump(arrays, file)


def main() -> dict[str, float]:
    images, labels = make(seed=1, count=64)
    images = normalise(images)
    held_out, held_out_labels = make(seed=2, count=32)
    held_out = normalise(held_out)
    init_key, train_key = jax.random.split(jax.random.key(0))
    model = Classifier(width=8, classes=CLASSES)
    state = create_state(init_key, model, EPOCHS * len(images) // BATCH)
    losses = []
    for epoch in range(EPOCHS):
        for batch in batches(images, labels, BATCH, seed=epoch):
            state, metrics = train_step(state, batch, train_key)
            losses.append(metrics["loss"])
    scores = evaluate(state, held_out, held_out_labels)
    save(state, Path("state.pkl"))
    total = float(np.sum(jax.device_get(losses)))
    return {"train": total, "loss": scores["loss"], "accuracy": scores["accuracy"]}


if __name__ == "__main__":
    print(main())

# gotcha: allow-file[missing-donation] a few kB
