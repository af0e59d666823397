"""Names of flags: those with which models are told that they train, and of flags in general."""

from __future__ import annotations

# What each says while a model trains.
TRAIN = {"train": True, "training": True, "is_training": True, "deterministic": False}
TRAIN |= {"use_running_average": False}
# The same, with those of other libraries, and those that functions of a project hand on.
MODES = TRAIN | {"is_train": True, "enable_dropout": True, "use_dropout": True}
MODES |= {"inference": False, "eval_mode": False}
FLAGS = frozenset({*TRAIN, "inference", "eval_mode"})
# Parts of the names of flags, as in `has_mask`.
_WORDS = "is are has have use with without should can needs no found exists ok valid given"
WORDS = frozenset(_WORDS.split())
