"""Names of the flags with which models are told that they train."""

from __future__ import annotations

# What each says while a model trains.
TRAIN = {"train": True, "training": True, "is_training": True, "deterministic": False}
TRAIN |= {"use_running_average": False}
FLAGS = frozenset({*TRAIN, "inference", "eval_mode"})
