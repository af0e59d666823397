"""Sentences, encoded and padded to a few lengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

TEXTS = (
    "the cat sat",
    "a dog ran",
    "the sun is up",
    "rain fell on the old roof all day",
    "we go home",
    "she reads a long book in the small garden",
    "it is late",
    "no one saw the quiet fox cross the field",
)
ALPHABET = " abcdefghijklmnopqrstuvwxyz"
BUCKETS = (16, 48)


def encode(text: str) -> list[int]:
    return [ALPHABET.index(letter) + 1 for letter in text]


def pad(items: Sequence[list[int]], length: int) -> np.ndarray:
    """Rows of tokens, 0 where nothing is."""
    rows = np.zeros((len(items), length), np.int32)
    for row, item in zip(rows, items, strict=True):
        row[: len(item)] = item
    return rows


def bucket(longest: int) -> int:
    """The smallest fixed length that holds `longest` tokens."""
    return next(length for length in BUCKETS if length >= longest)


def batches(texts: Sequence[str], size: int) -> Iterator[np.ndarray]:
    """Whole batches of rows, each of one of the fixed lengths."""
    items = [encode(text) for text in texts]
    for first in range(0, len(items) - size + 1, size):
        group = items[first : first + size]
        longest = max(len(item) for item in group)
        yield pad(group, bucket(longest))
