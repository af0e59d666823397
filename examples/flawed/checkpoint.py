"""Saves and loads what a run has learned."""

import pickle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Snapshot(NamedTuple):
    """What a run needs to go on."""

    epoch: int
    params: Any
    opt_state: Any


def save(path, snapshot):
    """Writes a snapshot, first beside its place, so that a killed run leaves the old one."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".new")
    with open(beside, "wb") as file:
        pickle.dump(snapshot, file)
    beside.replace(path)


def load(path):
    """Reads what `save` wrote."""
    with open(path, "rb") as file:
        return pickle.load(file)


def sizes(tree):
    """How many numbers each part of a tree holds, as a tree of dicts."""
    if isinstance(tree, tuple):
        return {str(index): sizes(part) for index, part in enumerate(tree)}
    if isinstance(tree, Snapshot):
        return {name: sizes(part) for name, part in tree._asdict().items()}
    if isinstance(tree, dict):
        return {name: sizes(part) for name, part in tree.items()}
    return np.asarray(tree).size


def total(tree):
    """The sum of what `sizes` gives."""
    return sum(map(total, tree.values())) if isinstance(tree, dict) else tree
