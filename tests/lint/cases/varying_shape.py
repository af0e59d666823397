"""Shapes that change, and shapes that only look as if they did."""

import dataclasses
import math

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def score(tokens, step=0):
    return jnp.sum(tokens) + step


@dataclasses.dataclass
class State:
    buffer: jax.Array
    step: int


def next_power_of_two(n):
    return 1 << (n - 1).bit_length()


def padded_to_the_longest(texts):
    longest = max(map(len, texts))
    rows = [text + [0] * (longest - len(text)) for text in texts]
    return score(np.array(rows))  # ! varying-shape


def padded_by_a_helper(texts, tokens):
    longest = max(len(text) for text in texts)
    tokens = np.pad(tokens, ((0, 0), (0, longest - tokens.shape[1])))
    return score(tokens)  # ! varying-shape


def make_state(length):
    return State(jnp.zeros((1, length), jnp.int32), 0)


def in_an_object(texts):
    total = max(len(text) for text in texts) + 10
    state = make_state(total)
    return score(state)  # ! varying-shape


def by_a_tokenizer(tokenizer, texts):
    encoded = tokenizer(texts, padding=True, return_tensors="np")
    return score(encoded["input_ids"])  # ! varying-shape


def prefixes(x):
    for i in range(x.shape[0]):
        print(score(x[:, :i]))  # ! varying-shape


def counted(x, stream):
    seen = 0
    for _ in stream:
        seen += 1
        print(score(x[:seen]))  # ! varying-shape


def bucketed(texts):
    longest = max(len(text) for text in texts)
    return score(np.zeros((len(texts), next_power_of_two(longest))))


def rounded_up(texts):
    longest = math.ceil(max(len(text) for text in texts) / 128)
    return score(np.zeros((1, -(-longest // 64) * 64)))


def one_of_a_few(texts, buckets):
    longest = max(len(text) for text in texts)
    length = min(b for b in buckets if b >= longest)
    return score(np.zeros((1, length)))


def windows(x, size):
    for i in range(100):
        print(score(x[i * size : (i + 1) * size]))


def items(x):
    for i in range(x.shape[0]):
        print(score(x[i], i))


def scaled(x):
    for i in range(10):
        print(score(x * i + i))


def a_number(texts, x):
    return score(x, max(len(text) for text in texts))


def reduced(x):
    for i in range(10):
        print(score(x[:i].sum()))


def by_a_bounded_tokenizer(tokenizer, texts):
    encoded = tokenizer(texts, padding="max_length", max_length=128)
    return score(encoded["input_ids"])


def of_a_table(texts, lengths, counts):
    table = np.repeat(lengths, counts)  # a few lengths, each for many batches
    for i in range(len(table)):
        print(score(np.zeros((8, int(table[i])))))


def by_its_own_length(lengths):
    table = np.asarray(lengths) + 1
    for i in range(len(table)):
        print(score(np.zeros((8, int(table[i])))))  # ! varying-shape


def filled(x):
    for i in range(10):
        print(score(jnp.full((3,), i)))


def served(requests, tokenizer):
    for texts in requests:
        tokens = np.zeros((len(texts), 3))
        print(padded_to_the_longest(texts), padded_by_a_helper(texts, tokens))
        print(in_an_object(texts), by_a_tokenizer(tokenizer, texts), bucketed(texts))
        print(rounded_up(texts), one_of_a_few(texts, (64, 128)), a_number(texts, tokens))
        print(by_a_bounded_tokenizer(tokenizer, texts))


def called_once(texts):
    longest = max(map(len, texts))
    return score(np.array([text + [0] * (longest - len(text)) for text in texts]))


def one_batch_all_the_time(texts):
    longest = max(map(len, texts))
    tokens = np.array([text + [0] * (longest - len(text)) for text in texts])
    for _ in range(100):
        print(score(tokens))


def one_batch_made_each_time(texts):
    for epoch in range(100):
        longest = max(map(len, texts))
        print(epoch, score(np.zeros((len(texts), longest))))


def one_batch_for_a_function(texts):
    for epoch in range(100):
        print(epoch, evaluated(texts))


def evaluated(texts):
    longest = max(map(len, texts))
    return score(np.zeros((len(texts), longest)))


def drawn(loader):
    while True:
        texts = next(loader)
        longest = max(map(len, texts))
        print(score(np.zeros((len(texts), longest))))  # ! varying-shape


def filtered(loader):
    for batch in loader:
        x = np.asarray(batch)
        x = x[x.sum(axis=1) > 3]
        print(score(x))  # ! varying-shape


def filtered_twice(loader):
    for batch in loader:
        x = np.asarray(batch)
        print(score(x[(x > 3) & ~(x > 5)]))  # ! varying-shape


def filtered_and_reduced(loader):
    for batch in loader:
        x = np.asarray(batch)
        print(score(x[x > 3].mean()))


def filtered_before(data):
    data = np.asarray(data)
    data = data[data > 3]
    for _ in range(100):
        print(score(data))


def masked(loader):
    for batch in loader:
        x = np.asarray(batch)
        print(score(np.where(x > 3, x, 0)))


def by_a_flag(loader, pair):
    for batch in loader:
        print(score(batch, pair[batch is None]))


class Agent:
    def update(self, episode, data):
        score(data.rows[data.start : data.size])
        return score(episode.seen[: episode.size])  # ! varying-shape

    def prepare(self, episode):
        return score(episode.seen[: episode.size])


def whole_data(data):
    for epoch in range(10):
        print(epoch, score(data.rows[: data.size]))


def pair_of_the_turn(loader):
    for row in loader:
        pair: list[float] = []
        pair.append(row)
        pair.append(2 * row)
        print(score(jnp.array(pair)))


def one_of_two(loader):
    for row in loader:
        for rows in ([], [1]):
            rows.append(row)
            print(score(jnp.array(rows)))


def set_in_an_expression(loader):
    for row in loader:
        print(rows := [])
        rows.append(row)
        print(score(jnp.array(rows)))


def padded_to_a_hundred(loader):
    recent = []
    for row in loader:
        recent.append(row)
        print(score(jnp.array(recent + [0] * (100 - len(recent)))))


def trim(items):
    del items[:-4]


def trimmed_by_a_helper(loader):
    recent = []
    for row in loader:
        recent.append(row)
        trim(recent)
        print(score(jnp.array(recent)))


def only_read(loader):
    recent: list[float] = []
    for row in loader:
        recent.append(row)
        print(sum(recent), len(recent), np.mean(recent))
        print(score(jnp.array(recent)))  # ! varying-shape


rows_of_the_file = []


def start_anew():
    global rows_of_the_file
    rows_of_the_file = []


for row in range(100):
    rows_of_the_file.append(row)
    start_anew()
    print(score(jnp.array(rows_of_the_file)))


rows_that_stay = []
for row in range(100):
    rows_that_stay.append(row)
    print(score(jnp.array(rows_that_stay)))  # ! varying-shape


def train_by_size(texts_by_size):
    for texts in texts_by_size:
        longest = max(len(text) for text in texts)
        score(np.zeros((8, longest)))  # ! varying-shape


def lists_of_each_length():
    texts = [[0] * length for length in range(1, 70)]
    for text in texts:
        score(np.zeros((2, len(text))))  # ! varying-shape


def lists_of_one_length(n):
    texts = [[0] * n for _ in range(70)]
    for text in texts:
        score(np.zeros((2, len(text))))


def rows_of_a_selection(batches, mask):
    for batch in batches:
        chosen = np.asarray(batch)[np.asarray(batch) > 0]
        score(chosen)  # ! varying-shape
        for row in chosen:
            score(row)
        score(chosen[0])


class Padded(NamedTuple):
    tokens: np.ndarray
    count: np.ndarray


def padded_batches(texts, size):
    for start in range(0, len(texts), size):
        some = texts[start : start + size]
        longest = max(len(text) for text in some)
        yield Padded(np.zeros((size, longest)), np.zeros(size))


def batches_of_one_length(texts, size, length):
    for start in range(0, len(texts), size):
        yield Padded(np.zeros((size, length)), np.full(size, start))


def in_an_object_of_a_generator(texts, size):
    for batch in padded_batches(texts, size):
        print(score(batch.tokens))  # ! varying-shape
        print(score(batch.count))
    for batch in batches_of_one_length(texts, size, 64):
        print(score(batch.tokens))


def each_padded_to_the_longest(texts_by_size):
    for texts in texts_by_size:
        longest = max(len(text) for text in texts)
        padded = [np.pad(text, (0, longest - len(text))) for text in texts]
        score(np.stack(padded))  # ! varying-shape
        rows = []
        for text in texts:
            rows.append(np.array(text + [0] * (longest - len(text))))
        score(np.stack(rows))  # ! varying-shape
        score(np.array([1] * longest))  # ! varying-shape


def each_padded_to_one_length(texts_by_size, length):
    for first, second in texts_by_size:
        score(np.stack([np.pad(text, (0, length - len(text))) for text in (first, second)]))
        score(np.stack([np.array(text + [0] * (64 - len(text))) for text in (first, second)]))
        score(np.array([1] * length))


def a_growing_list_that_is_filled_up(length):
    tokens = [1]
    for token in range(length):
        score(np.array(tokens + [0] * (length - len(tokens))))
        score(np.array(tokens + [0 for _ in range(length - len(tokens))]))
        score(np.array(tokens))  # ! varying-shape
        tokens.append(token)


def filled_up_to_the_length_of_another(other):
    length, tokens = len(other), [1]
    while len(tokens) < length:
        score(np.array([*tokens, *[0] * (length - len(tokens))]))
        tokens.append(2)


def padded_as_another_module_says(images, to_multiple):
    for image in images:
        rows, _ = np.nonzero(image > 0.5)
        score(np.pad(rows, (0, to_multiple(len(rows), 64) - len(rows))))


def padded_by_what_is_missing(images, missing):
    for image in images:
        rows = np.flatnonzero(image > 0.5)
        score(jnp.pad(rows, (0, missing(rows))))


def padded_by_one(images):
    for image in images:
        score(np.pad(np.flatnonzero(image > 0.5), (0, 1)))  # ! varying-shape


@jax.jit
def relaxed(positions):
    return positions - 0.1 * positions


def relax(positions, steps):
    for _ in range(steps):
        positions = relaxed(positions)
    return positions


def random_cluster(seed):
    rng, points = np.random.default_rng(seed), []
    while len(points) < 8:
        trial = rng.uniform(0, 5.0, 3)
        if all(np.linalg.norm(trial - point) > 2.0 for point in points):
            points.append(trial)
    return jnp.asarray(np.stack(points), jnp.float32)


relax(random_cluster(0), 100)


def relax_several(seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        points = [rng.uniform(0, 5.0, 3) for _ in range(rng.integers(4, 90))]
        relaxed(jnp.asarray(np.stack(points)))  # ! varying-shape
