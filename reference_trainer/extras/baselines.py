"""What a model has to beat: counting and compression, on the very targets it is judged by.

Wrong: "the loss goes down, so it learns". A model that only knows how frequent each byte is gets
from 8 bits to 4.4; one that never looks further back than five bytes gets to 1.8.
Right: a number in bits per target for each of these, from the same held-out targets, each coded
once. A model below `order-1` uses context, one below `order-5` uses more than the last few bytes,
one below `xz given train` remembers more of what it has read than a compressor with all of it at
hand. The numbers differ between machines, as the text does: compare with those of one machine.

Like the model, an n-gram sees nothing before the row of a document. Suffixes: N targets.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from reference_trainer.data.batch import Corpus, Document

BYTES = 256
LARGEST_KEY = 2**63  # a context and its target are one int64
LONGEST_MATCH = 2**26  # bytes that xz looks back; it needs about 12 times as much memory


class Sequences(NamedTuple):
    """Targets and what came before each of them, the nearest first."""

    target_N: np.ndarray
    history: list[np.ndarray]  # each N


class Counts(NamedTuple):
    """How often each target followed each context; keys sorted."""

    pair: np.ndarray  # context * vocabulary + target
    seen: np.ndarray  # of the pair
    context: np.ndarray
    total: np.ndarray  # of the context
    kinds: np.ndarray  # different targets after the context


def baselines(
    corpus: Corpus, orders: Sequence[int] = range(7), compress: bool = True
) -> dict[str, float]:
    """Bits per held-out target by name; a name ending in "accuracy" is a share instead."""
    if "previous" in corpus.about:
        return _frames(corpus)
    if min(orders, default=0) < 0:
        raise ValueError(f"orders are 0 or more, not {min(orders)}")
    vocabulary = corpus.about.get("vocabulary", BYTES)
    if corpus.unit == "token":  # of GPT-2's vocabulary no more than four fit into an int64
        orders = [order for order in orders if vocabulary ** (order + 1) <= LARGEST_KEY]
    longest = max(orders, default=0)
    bits = ngram_bits(_text(corpus.train, longest), _text(corpus.held_out, longest), vocabulary)
    found = {f"order-{order}": bits[order] for order in sorted(orders)}
    return found | (compressed(corpus) if compress and corpus.unit == "byte" else {})


def ngram_bits(train: Sequences, held_out: Sequences, vocabulary: int) -> list[float]:
    """Bits per target for each length of context: 0, 1, ... all of the history."""
    return [
        float(-np.log2(probability_N).mean())
        for probability_N in probabilities(train, held_out, vocabulary)
    ]


def probabilities(train: Sequences, held_out: Sequences, vocabulary: int) -> Iterator[np.ndarray]:
    """Witten-Bell: what was counted, mixed with the shorter context's answer.

    P(w|c) = (seen(c, w) + kinds(c) * P(w|shorter c)) / (total(c) + kinds(c)): the more different
    targets followed a context, the more likely is one more. Below order 0, all are equally likely.
    """
    if vocabulary ** (len(train.history) + 1) > LARGEST_KEY:
        raise ValueError(f"{len(train.history)} steps of {vocabulary} values are too many to count")
    probability_N = np.full(len(held_out.target_N), 1 / vocabulary)
    contexts = zip(_contexts(train, vocabulary), _contexts(held_out, vocabulary), strict=True)
    for context_N, queried_N in contexts:
        counts = _count(context_N, train.target_N, vocabulary)
        key_N = queried_N * vocabulary + held_out.target_N
        seen_N = _look_up(counts.pair, counts.seen, key_N)
        total_N = _look_up(counts.context, counts.total, queried_N)
        kinds_N = _look_up(counts.context, counts.kinds, queried_N)
        mixed_N = (seen_N + kinds_N * probability_N) / np.maximum(total_N + kinds_N, 1)
        probability_N = np.where(total_N > 0, mixed_N, probability_N)
        yield probability_N


def _contexts(sequences: Sequences, vocabulary: int) -> Iterator[np.ndarray]:
    """One number for each context, of length 0, 1, ..."""
    context_N = np.zeros(len(sequences.target_N), np.int64)
    yield context_N
    for previous_N in sequences.history:
        context_N = context_N * vocabulary + previous_N
        yield context_N


def _count(context_N: np.ndarray, target_N: np.ndarray, vocabulary: int) -> Counts:
    pair, seen = np.unique(context_N * vocabulary + target_N, return_counts=True)
    context, first = np.unique(pair // vocabulary, return_index=True)
    total = np.add.reduceat(seen, first)
    return Counts(pair, seen, context, total, kinds=np.diff(first, append=len(pair)))


def _look_up(keys: np.ndarray, values: np.ndarray, queried_N: np.ndarray) -> np.ndarray:
    """The value of each key; 0 if it is not there."""
    at_N = np.minimum(np.searchsorted(keys, queried_N), len(keys) - 1)
    return np.where(keys[at_N] == queried_N, values[at_N], 0)


def _text(documents: list[Document], longest: int) -> Sequences:
    """Bytes before the start of a row are 0, the separator of documents."""
    target_N = np.concatenate([document.targets[:, 0] for document in documents])
    previous_N = np.concatenate([document.inputs[:, 0] for document in documents])
    starts = np.cumsum([0, *(len(document.targets) for document in documents[:-1])])
    history = [previous_N.astype(np.uint8)]
    while len(history) < longest:
        earlier_N = np.roll(history[-1], 1)
        earlier_N[starts] = 0
        history.append(earlier_N)
    return Sequences(target_N.astype(np.uint8), history[:longest])


def _frames(corpus: Corpus) -> dict[str, float]:
    """Each voice on its own, from nothing and from the newest of its own pitches that is seen."""
    unigram, markov, held = [], [], []
    for head, feature in enumerate(corpus.about["previous"]):
        train, held_out = (
            Sequences(
                np.concatenate([document.targets[:, head] for document in documents]),
                [np.concatenate([document.inputs[:, feature] for document in documents])],
            )
            for documents in (corpus.train, corpus.held_out)
        )
        bits = ngram_bits(train, held_out, corpus.about["heads"][head])
        unigram.append(bits[0])
        markov.append(bits[1])
        held.append(np.mean(held_out.history[0] == held_out.target_N))
    return {
        "unigram": float(np.mean(unigram)),
        "markov": float(np.mean(markov)),
        "hold-last accuracy": float(np.mean(held)),
    }


def compressed(corpus: Corpus) -> dict[str, float]:
    """Bits per held-out byte of compressors, separators included.

    `xz given train` is what the held-out text adds to the training text: xz(both) - xz(train).
    """
    train, held_out = _stream(corpus.train), _stream(corpus.held_out)
    rows = [_stream([document]) for document in corpus.held_out]
    with ThreadPoolExecutor(2) as pool:  # compressors run outside Python's lock
        both, alone = pool.map(_xz, (train + held_out, train))
    size = {
        "gzip": len(gzip.compress(held_out)),
        "bz2": len(bz2.compress(held_out)),
        "xz": len(_xz(held_out)),
        "zlib per document": sum(len(zlib.compress(row, 9)) for row in rows),
        "xz given train": len(both) - len(alone),
    }
    return {name: 8 * count / len(held_out) for name, count in size.items()}


def _stream(documents: list[Document]) -> bytes:
    return np.concatenate([document.targets[:, 0] for document in documents]).astype("u1").tobytes()


def _xz(text: bytes) -> bytes:
    """With a window over all of the text, as far as memory allows."""
    window = min(max(len(text), 4096), LONGEST_MATCH)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": window}]
    return lzma.compress(text, filters=filters)
