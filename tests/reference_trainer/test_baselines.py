"""The baselines are right: against hand-made cases and against a slow counter in plain Python."""

from __future__ import annotations

import lzma
import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_trainer.data.batch import Corpus, Document
from reference_trainer.extras.baselines import Sequences, baselines, ngram_bits, probabilities

LETTERS = st.lists(st.binary(min_size=1, max_size=12).map(lambda b: bytes(x % 3 + 1 for x in b)))
TEXTS = LETTERS.filter(len)


def document(text: bytes) -> Document:
    stream_T1 = np.frombuffer(b"\0" + text + b"\0", np.uint8).astype(np.int32)[:, None]
    return Document(stream_T1[:-1], stream_T1[1:])


def corpus(train: Sequence[bytes], held_out: Sequence[bytes]) -> Corpus:
    return Corpus(list(map(document, train)), list(map(document, held_out)), "byte", {})


def slow_bits(train: Sequence[bytes], held_out: Sequence[bytes], order: int) -> float:
    """Witten-Bell as it is written in books, with dictionaries."""

    def contexts(texts: Sequence[bytes]) -> list[tuple[bytes, int]]:
        """All that came before in the document, and the byte that follows."""
        padded = [bytes(order) + b"\0" + text + b"\0" for text in texts]
        return [(text[:i], text[i]) for text in padded for i in range(order + 1, len(text))]

    after: dict[bytes, Counter[int]] = defaultdict(Counter)
    for before, byte in contexts(train):
        for length in range(order + 1):
            after[before[len(before) - length :]][byte] += 1

    def probability(context: bytes, byte: int, length: int) -> float:
        if length < 0:
            return 1 / 256
        shorter = probability(context, byte, length - 1)
        seen = after.get(context[len(context) - length :])
        if seen is None:
            return shorter
        return (seen[byte] + len(seen) * shorter) / (seen.total() + len(seen))

    bits = [-math.log2(probability(before, byte, order)) for before, byte in contexts(held_out)]
    return sum(bits) / len(bits)


@given(TEXTS, TEXTS)
@settings(max_examples=60, deadline=None)
def test_same_as_counting_with_dictionaries(train, held_out):
    found = baselines(corpus(train, held_out), compress=False)
    for order in range(7):
        assert found[f"order-{order}"] == pytest.approx(slow_bits(train, held_out, order))


@given(TEXTS, st.lists(st.integers(0, 3), min_size=4, max_size=4))
@settings(max_examples=30, deadline=None)
def test_probabilities_of_all_bytes_sum_to_one(train, history):
    """In contexts that were seen and in others."""
    text = np.concatenate([document(part).inputs[:, 0] for part in train])
    known = Sequences(np.roll(text, -1), [np.roll(text, back) for back in range(4)])
    every = Sequences(np.arange(256), [np.full(256, byte) for byte in history])
    for probability_N in probabilities(known, every, 256):
        assert probability_N.min() > 0
        assert probability_N.sum() == pytest.approx(1)


def test_order_0_is_the_cross_entropy_of_two_frequencies():
    train, held_out = [b"aab"], [b"abc"]
    counts = Counter({"a": 2, "b": 1, "\0": 1})  # 4 targets of 3 kinds
    expected = [(counts[byte] + 3 / 256) / (4 + 3) for byte in "abc\0"]
    found = baselines(corpus(train, held_out), [0], compress=False)
    assert found == {"order-0": pytest.approx(-sum(map(math.log2, expected)) / 4)}


def test_order_1_by_hand():
    """After a: b twice. After b: a once, the end once. At the start: a."""
    train, held_out = [b"abab"], [b"ab"]
    order_0 = {"a": (2 + 3 / 256) / 8, "b": (2 + 3 / 256) / 8, "end": (1 + 3 / 256) / 8}
    start_a = (1 + 1 * order_0["a"]) / (1 + 1)
    a_b = (2 + 1 * order_0["b"]) / (2 + 1)
    b_end = (1 + 2 * order_0["end"]) / (2 + 2)
    found = baselines(corpus(train, held_out), [1], compress=False)
    expected = -(math.log2(start_a) + math.log2(a_b) + math.log2(b_end)) / 3
    assert found == {"order-1": pytest.approx(expected)}


def test_contexts_end_at_the_document():
    """The order of documents is not there to be learned."""
    train, held_out = [b"ab", b"cd"] * 20, [b"cd", b"ab"]
    straight = baselines(corpus(train, held_out), compress=False)
    other = baselines(corpus(sorted(train), sorted(held_out)), compress=False)
    assert straight == pytest.approx(other)


def test_uniform_text_costs_eight_bits_and_a_constant_one_nothing():
    rng = random.Random(0)
    noise = [bytes(rng.randrange(1, 256) for _ in range(20_000)) for _ in range(2)]
    found = baselines(corpus(noise[:1], noise[1:]), [0, 1])
    assert all(found[name] > 7.9 for name in ("order-0", "gzip", "bz2", "xz", "xz given train"))
    found = baselines(corpus([b"a" * 20_000], [b"a" * 20_000]), [1])
    assert all(found[name] < 0.05 for name in ("order-1", "gzip", "bz2", "xz", "xz given train"))


def test_compressors_code_the_held_out_stream_with_separators():
    held_out = [b"import this", b"import that"]
    found = baselines(corpus([b"import"], held_out), [])
    stream = b"import this\0import that\0"
    bits = 8 * len(lzma.compress(stream)) / len(stream)
    assert found["xz"] == pytest.approx(
        bits, abs=8 * 8 / len(stream)
    )  # headers may differ a little
    assert set(found) == {"gzip", "bz2", "xz", "zlib per document", "xz given train"}


def test_training_text_helps_where_it_is_the_same():
    rng = random.Random(0)
    text = bytes(rng.randrange(1, 256) for _ in range(5000))
    found = baselines(corpus([text], [text]), [])
    assert found["xz"] > 7.9
    assert found["xz given train"] < 0.2


def test_orders_that_cannot_be_counted():
    with pytest.raises(ValueError, match="too many to count"):
        baselines(corpus([b"a"], [b"a"]), [7])
    with pytest.raises(ValueError, match="0 or more"):
        baselines(corpus([b"a"], [b"a"]), [-1])


def frames(pitches: list[tuple[int, int]]) -> Document:
    """Two voices; the inputs are the soprano, of no use here, and their own pitches before."""
    target_TH = np.array(pitches, np.int32)
    before_TH = np.concatenate([np.zeros((1, 2), np.int32), target_TH[:-1]])
    soprano_T1 = np.arange(len(pitches), dtype=np.int32)[:, None] % 4
    return Document(np.concatenate([soprano_T1, before_TH], axis=1), target_TH)


def test_frames_by_hand():
    train, held_out = frames([(1, 2), (1, 2), (1, 3)]), frames([(1, 2), (1, 3)])
    about = {"heads": [4, 4], "previous": [1, 2]}
    found = baselines(Corpus([train], [held_out], "voice-frame", about))
    unigram = [(3 + 1 / 4) / 4, (3 + 1 / 4) / 4, (2 + 2 / 4) / 5, (1 + 2 / 4) / 5]
    markov = [
        (1 + 1 * unigram[0]) / 2,  # first voice: 1 after nothing, once
        (2 + 1 * unigram[1]) / 3,  # 1 after 1, twice
        (1 + 1 * unigram[2]) / 2,  # second voice: 2 after nothing, once
        (1 + 2 * unigram[3]) / 4,  # 3 after 2, once; so was 2
    ]
    assert found["unigram"] == pytest.approx(-np.mean(np.log2(unigram)))
    assert found["markov"] == pytest.approx(-np.mean(np.log2(markov)))
    assert found["hold-last accuracy"] == pytest.approx(1 / 4)


def test_a_context_that_tells_all_is_worth_all_bits():
    rng = np.random.default_rng(0)
    target_N = rng.integers(0, 16, 4000)
    same = Sequences(target_N, [target_N])
    order_0, order_1 = ngram_bits(same, same, 16)
    assert order_0 == pytest.approx(4, abs=0.02)
    assert order_1 < 0.05
