"""The remainder of a data set."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from flax.training.common_utils import shard


@jax.jit
def step(x, y):
    return jnp.sum(x) + jnp.sum(y)


def epoch(x, y, size):
    for i in range(0, len(x), size):
        print(step(x[i : i + size], y[i : i + size]))  # ! partial-last-batch


def shuffled(x, y, order, size):
    n = x.shape[0]
    for start in range(0, n, size):
        batch = x[start : start + size]
        print(step(batch, y))  # ! partial-last-batch


def cut(x, y, size):
    for i in range(0, len(x) - size + 1, size):
        print(step(x[i : i + size], y[i : i + size]))


def cut_before(x, y, size):
    x = x[: len(x) - len(x) % size]
    for i in range(0, len(x), size):
        print(step(x[i : i + size], y))


def skipped(x, y, size):
    for i in range(0, len(x), size):
        batch = x[i : i + size]
        if len(batch) < size:
            continue
        print(step(batch, y))


def unknown(x, y, n, size):
    for i in range(0, n, size):
        print(step(x[i : i + size], y))


def one_by_one(x, y):
    for i in range(len(x)):
        print(step(x[i], y[i]))


def batches(x, size):
    for i in range(0, len(x), size):
        yield x[i : i + size]


def whole_batches(x, size):
    for i in range(0, len(x) - size + 1, size):
        yield x[i : i + size]


def padded_batches(x, size):
    for i in range(0, len(x), size):
        yield pad_rows(x[i : i + size], size)


def batches_of_a_length(x, size):
    for i in range(0, len(x), size):
        rows = x[i : i + size]
        if len(rows) == size:
            yield rows


def pad_rows(rows, size):
    return np.concatenate([rows, np.zeros(size - len(rows))])


def from_generators(x: np.ndarray):
    for batch in batches(x, 4):
        step(batch, x)  # ! partial-last-batch
    for batch in whole_batches(x, 4):
        step(batch, x)
    for batch in padded_batches(x, 4):
        step(batch, x)
    for batch in batches_of_a_length(x, 4):
        step(batch, x)


def from_a_generator_by_length(x: np.ndarray):
    for batch in batches(x, 4):
        if len(batch) == 4:
            step(batch, x)


def counted(data, labels):
    done = 0
    for i in range(0, len(data), 32):
        left = 1000 - done
        if left > 0:
            step(data[i : i + 32], labels[i : i + 32])  # ! partial-last-batch
        done = done + 1


@partial(jax.pmap, axis_name="devices")
def everywhere(x):
    return jax.lax.pmean(x, "devices")


def dealt_out(data):
    for i in range(0, len(data), 32):
        everywhere(shard(np.ones(100)[i : i + 32]))


def dealt_out_of_known_length():
    data = np.ones(100)
    for i in range(0, len(data), 32):
        everywhere(shard(data[i : i + 32]))  # ! partial-last-batch


def by_number(x: np.ndarray, size):
    for i in range(-(-len(x) // size)):
        print(step(x[i * size : (i + 1) * size], x))  # ! partial-last-batch


def by_a_count(x: np.ndarray):
    count = (len(x) + 8 - 1) // 8
    for i in range(count):
        print(step(x[8 * i : 8 * i + 8], x))  # ! partial-last-batch


def whole_ones_by_number(x: np.ndarray, size):
    for i in range(len(x) // size):
        print(step(x[i * size : (i + 1) * size], x))


def filled_up(table, size):
    for start in range(0, len(table), size):
        part = table[start : start + size]
        count = len(part)
        if count < size:
            part = np.concatenate([part, np.repeat(part[-1:], size - count, axis=0)])
        yield part, count


def runs_filled_up(table):
    for part, count in filled_up(table, 64):
        print(step(part, 0)[:count])


def filled_up_in_a_list(table, size):
    parts = []
    for start in range(0, len(table), size):
        part = table[start : start + size]
        if len(part) < size:
            part = np.concatenate([part, np.zeros((size - len(part), *part.shape[1:]))])
        parts.append(part)
    return parts


def runs_a_list(table):
    for part in filled_up_in_a_list(table, 64):
        print(step(part, 0))


def counted_up(table, size):
    for start in range(0, len(table), size):
        part = table[start : start + size]
        yield part, len(part)


def runs_counted_up(table):
    for part, count in counted_up(table, 64):
        print(step(part, 0), count)  # ! partial-last-batch


def padded(part, size):
    missing = size - part.shape[0]
    if missing > 0:
        part = np.concatenate([part, np.zeros((missing, *part.shape[1:]))])
    return part


def whole_or_padded(part, size):
    count = len(part)
    if count == size:
        return part
    return np.pad(part, ((0, size - count), (0, 0)))


def padded_with_zeros(part, size):
    if len(part) < size:
        return np.concatenate([part, np.zeros(size - len(part))])
    return part


def runs_padded(table):
    for i in range(0, len(table), 64):
        print(step(padded(table[i : i + 64], 64), 0))
        print(step(whole_or_padded(table[i : i + 64], 64), 0))
        print(step(padded_with_zeros(table[i : i + 64], 64), 0))


def runs_a_padded_list(table):
    parts = [padded(table[i : i + 64], 64) for i in range(0, len(table), 64)]
    for part in parts:
        print(step(part, 0))


def runs_padded_of_known_length():
    table = np.ones((1000, 3), np.float32)
    for i in range(0, len(table), 64):
        print(step(padded(table[i : i + 64], 64), 0))


def refuses_nothing(part):
    if len(part) == 0:
        raise ValueError("no rows")
    return part


def nothing_of_nothing(part):
    if len(part) == 0:
        return None
    return part


def runs_checked(table):
    for i in range(0, len(table), 64):
        print(step(refuses_nothing(table[i : i + 64]), 0))  # ! partial-last-batch


def runs_what_is_there(table):
    for i in range(0, len(table), 64):
        print(step(nothing_of_nothing(table[i : i + 64]), 0))  # ! partial-last-batch


def slices(images, size):
    for start in range(0, len(images), size):
        yield images[start : start + size]


def drawn_slices(images, size):
    order = np.random.default_rng(0).permutation(len(images))
    for start in range(0, len(order), size):
        yield images[order[start : start + size]]


def runs_over_a_generator(options):
    for part in slices(np.ones((500, 3), np.float32), options.batch_size):
        print(step(part, 0))  # ! partial-last-batch


def runs_over_a_partial(options):
    batches = partial(drawn_slices, np.ones((500, 3), np.float32))
    for part in batches(options.batch_size):
        print(step(part, 0))  # ! partial-last-batch


def runs_over_parts_that_fit():
    for part in slices(np.ones((500, 3), np.float32), 100):
        print(step(part, 0))


def runs_over_a_multiple(size):
    for part in slices(np.ones((10 * size, 3), np.float32), size):
        print(step(part, 0))
@jax.jit
def score_of_two(batch):
    return batch["x"].sum() + batch["y"].sum()


def rows_of_both(x, y, size):
    for i in range(0, len(x), size):
        yield {"x": x[i : i + size], "y": y[i : i + size]}


def filled_up_by_name(x, y, size):
    for batch in rows_of_both(x, y, size):
        missing = size - len(batch["x"])
        for name in ("x", "y"):
            widths = [(0, missing)] + [(0, 0)] * (batch[name].ndim - 1)
            batch[name] = np.pad(batch[name], widths)
        score_of_two(batch)


def scaled_by_name(x, y, size):
    for batch in rows_of_both(x, y, size):
        for name in ("x", "y"):
            batch[name] = batch[name] * 2
        score_of_two(batch)  # ! partial-last-batch


pairs_of_rows = np.ones((75, 6)), np.ones((75, 2))
filled_up_by_name(*pairs_of_rows, 32)
scaled_by_name(*pairs_of_rows, 32)
