"""An annotation says array of what the callers make of numpy."""

import pickle
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np


class Predictions(NamedTuple):
    values: np.ndarray
    indices: np.ndarray


def collected(parts) -> Predictions:
    return Predictions(np.concatenate(parts), np.arange(len(parts)))


def save(predictions: jnp.ndarray, path: str):
    with open(path, "wb") as file:
        pickle.dump(predictions, file)


def evaluate(step, batches):
    save(collected([np.asarray(step(batch)) for batch in batches]), "predictions.pkl")
