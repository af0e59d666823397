"""Made-up sentences of different lengths, as batches of token ids."""

import numpy as np


def sentences(count, vocabulary, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.integers(1, vocabulary, rng.integers(4, 24)) for _ in range(count)]


def collate(batch):
    """Pads a batch to its own longest sentence."""
    longest = max(len(sentence) for sentence in batch)
    tokens = np.zeros((len(batch), longest), np.int32)
    for row, sentence in enumerate(batch):
        tokens[row, : len(sentence)] = sentence
    return tokens


def batches(corpus, size):
    for start in range(0, len(corpus) - size + 1, size):
        yield collate(corpus[start : start + size])
