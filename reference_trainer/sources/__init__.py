"""Where the data of a run comes from: one function for each value of `data.source`.

A data set is a function `Data -> Corpus` in a file of its own and one line in `SOURCES`. Its
module is imported when it is used, so that an optional one costs nothing.
"""

from __future__ import annotations

import hashlib
import importlib

from reference_trainer.config import Data
from reference_trainer.data.batch import Corpus

SOURCES = {  # data.source: the module in this package, the function in it
    "stdlib": ("sources.text", "stdlib"),
    "files": ("sources.text", "files"),
    "tokens": ("sources.tokens", "tokens"),
    "chorales": ("extras.chorales", "chorales"),
}


def load(data: Data) -> Corpus:
    """The documents to train on and those held out; DataError."""
    module, function = SOURCES[data.source]
    return getattr(importlib.import_module(f"reference_trainer.{module}"), function)(data)


def lot(name: str) -> float:
    """From 0 to 1, by a file's name alone: it stays on its side when others come or go."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) / 2**64
