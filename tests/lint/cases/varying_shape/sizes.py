"""Sizes that go through helpers, generators, lists and random draws."""

import dataclasses

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


def cut(x, size):
    return x[:size]


def cut_at(x, start, end):
    return x[start:end]


def window(x, start, size):
    return x[start : start + size]


def batches_of(x, size):
    order = np.random.default_rng(0).permutation(len(x))
    for start in range(0, len(x) - size + 1, size):
        yield x[order[start : start + size]]


def cut_by_a_helper(x):
    for i in range(100):
        print(score(cut(x, i)))  # ! varying-shape
        print(score(cut(x, 8)), score(cut_at(x, i, i + 8)), score(window(x, i, 8)))


def larger_each_epoch(x):
    for epoch in range(100):
        for batch in batches_of(x, 16 + epoch):
            print(score(batch))  # ! varying-shape
        for batch in batches_of(x, 16):
            print(score(batch, epoch))


def handed_on(x):
    return score(x)  # ! varying-shape


def handed_on_steadily(x):
    return score(x)


def position_handed_on(x, position):
    print(score(x, position))
    return score(x[:position])  # ! varying-shape


def hands_on(x, loader):
    for i in range(100):
        print(handed_on(x[:i]), handed_on_steadily(x[i : i + 8]), position_handed_on(x, i))
    for batch in loader:
        print(handed_on_rows(np.asarray(batch)[np.asarray(batch) > 3]))
        print(handed_on_one(x[x > 3]))


def handed_on_rows(x):
    return score(x)  # ! varying-shape


def handed_on_one(x):
    return score(x)


def windows_by_name(x, size):
    for i in range(100):
        start = i * size
        end = start + size
        print(score(x[start:end]), score(np.arange(start, start + size)))


def drawn_size(x, rng: np.random.Generator):
    for _ in range(100):
        size = int(rng.integers(1, 8))
        rows = rng.integers(0, len(x), size)
        print(score(x[rows]))  # ! varying-shape


def drawn_once(loader):
    rng = np.random.default_rng(0)
    size = int(rng.integers(1, 8))
    for batch in loader:
        print(score(batch[:size]), score(batch[rng.integers(0, 100, 8)]))


def own_longest(loader):
    for batch in loader:
        longest = int(batch.lengths.max())
        print(score(batch.tokens[:, :longest]))  # ! varying-shape


def longest_of_all(data, loader):
    longest = int(data.lengths.max())
    for batch in loader:
        print(score(batch[:, :longest]))


def history(x, loader):
    seen, losses = [], []
    for batch in loader:
        seen.append(batch)
        losses.append(score(batch))
        print(score(np.stack(seen)))  # ! varying-shape
        print(score(x[: len(losses)]))  # ! varying-shape
    return score(np.stack(seen))


def until_full(loader):
    rows = []
    for row in loader:
        rows.append(row)
        if len(rows) == 8:
            print(score(np.stack(rows)))
            rows = []


def until_full_turned_around(loader):
    rows = []
    for row in loader:
        rows.append(row)
        if len(rows) < 8:
            continue
        print(score(np.stack(rows)))
        rows.clear()


def window_of_rows(loader):
    rows = [np.zeros(3)] * 8
    for row in loader:
        rows.append(row)
        rows.pop(0)
        print(score(np.stack(rows)))


def anew_in_each_turn(loader):
    for rows in loader:
        kept = []
        for row in rows:
            kept.append(row)
        print(score(np.stack(kept)))


def in_a_tuple(loader):
    for batch in loader:
        longest = int(batch.lengths.max())
        cut = State(*(leaf[:, :longest] for leaf in batch))
        print(score(cut))  # ! varying-shape
        print(score(State(*batch)))
