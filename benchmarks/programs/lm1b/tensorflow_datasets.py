"""In place of the library of the same name: sentences that we make up, and nothing to download.

Only what the example's loader asks for: a split's name for this process, and a source by index.
"""

from __future__ import annotations

import random

_SIZES = {"train": 20_000, "test": 512}
# Enough different words for a tokenizer to be trained on.
_STARTS = ("mar", "ho", "win", "gar", "let", "com", "tea", "re", "bri", "en", "fol", "qui", "ri")
_ENDS = ("ket", "use", "ter", "den", "pany", "cher", "cord", "dge", "gine", "lows", "et", "ver")
_WORDS = [start + end for start in _STARTS for end in _ENDS]


class Sentences:
    """Sentence `index` of a split, always the same."""

    def __init__(self, split: str) -> None:
        self.split = split

    def __len__(self) -> int:
        return _SIZES[self.split]

    def __getitem__(self, index: int) -> dict[str, bytes]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        chosen = random.Random(f"{self.split} {index}")
        words = chosen.choices(_WORDS, k=chosen.randint(4, 30))
        return {"text": " ".join([*words, "."]).encode()}


def split_for_jax_process(split: str, drop_remainder: bool = False) -> str:
    return split


def data_source(name: str, split: str) -> Sentences:
    return Sentences(split)
