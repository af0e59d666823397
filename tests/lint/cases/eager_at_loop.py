"""Arrays that are filled outside of a trace, and updates that have to be."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def following(tokens):
    return jnp.sum(tokens) % 7


def fill(loader):
    losses = jnp.zeros(100)
    for i, batch in enumerate(loader):
        losses = losses.at[i].set(batch.mean())  # ! eager-at-loop
        print(following(np.ones(3)))
    return losses


def count(labels):
    counts = jnp.zeros(10, jnp.int32)
    for label in labels:
        print(following(np.ones(3)))
        counts = counts.at[label].add(1)  # ! eager-at-loop
    return counts


def fill_under_a_condition(paths):
    table = jnp.zeros((100, 8))
    for i, path in enumerate(paths):
        row = np.load(path)
        print(following(np.ones(3)))
        if row.any():
            table = table.at[i, :4].set(row)  # ! eager-at-loop
    return table


def fill_two(loader):
    low, high = jnp.zeros(9), jnp.zeros(9)
    for i, batch in enumerate(loader):
        low = low.at[i].set(batch.min())  # ! eager-at-loop
        high = high.at[i].set(batch.max())  # ! eager-at-loop
        print(following(np.ones(3)))
    return low, high


class Buffer:
    def __init__(self, size):
        self.seen = jnp.zeros((size, 3))
        self.count = 0

    def add(self, seen):
        self.seen = self.seen.at[self.count].set(seen)  # ! eager-at-loop
        self.count += 1


class HostBuffer:
    def __init__(self, size):
        self.seen = np.zeros((size, 3))
        self.count = 0

    def add(self, seen):
        self.seen[self.count] = seen
        self.count += 1


def main():
    buffer, other = Buffer(100), HostBuffer(100)
    for i in range(100):
        buffer.add(np.ones(3))
        other.add(np.ones(3))
        print(following(np.ones(3)))


def goes_on_from_it(tokens, count):
    for i in range(count):
        tokens = tokens.at[i + 1].set(following(tokens))
        print(following(np.ones(3)))
    return tokens


def shown_at_each_turn(loader):
    losses = jnp.zeros(100)
    for i, batch in enumerate(loader):
        losses = losses.at[i].set(batch.mean())
        print(losses)


def may_be_traced(xs):
    out = jnp.zeros(100)
    for i, x in enumerate(xs):
        out = out.at[i].set(x)
    return out


@jax.jit
def is_traced(xs):
    out = jnp.zeros(100)
    for i in range(100):
        out = out.at[i].set(xs[i])
    return out


def made_in_this_turn(loader):
    for batch in loader:
        weights = jnp.zeros(10)
        weights = weights.at[0].set(1.0)
        print(following(np.ones(3)))


def once(x):
    x = x.at[0].set(1.0)
    print(x)
    return x


def a_few_turns(x):
    for i in (0, 1):
        x = x.at[i].set(1.0)
    print(x)
    return x


def one_in_each_turn(groups):
    """The outer loop makes the array, the inner ones fill it."""
    found = {}
    for name, rows in groups.items():
        table = jnp.zeros((100, 8))
        for row in rows:
            for i, value in enumerate(row):
                table = table.at[i].set(value)  # ! eager-at-loop
                print(following(np.ones(3)))
        found[name] = table
    return found


def slice_by_slice(rows):
    table = jnp.zeros((100, 8))
    for i, row in enumerate(rows):
        table = jax.lax.dynamic_update_slice(table, row, (i, 0))  # ! eager-at-loop
        print(following(np.ones(3)))
    return table


def on_the_host(loader):
    losses = np.zeros(100)
    for i, batch in enumerate(loader):
        losses[i] = batch.mean()
        print(following(np.ones(3)))
    return jnp.asarray(losses)


def collected(loader):
    losses = []
    for batch in loader:
        losses.append(batch.mean())
        print(len(losses))
    return jnp.stack(losses)


def another_name(x, loader):
    for i, batch in enumerate(loader):
        y = x.at[i].set(batch)
        print(y)


if __name__ == "__main__":
    main()
