"""Parts of an array, and the numbers that they had in it."""

from collections.abc import Sequence

import flax.linen as nn
import jax.numpy as jnp
import numpy as np


class Inputs(nn.Module):
    real: Sequence[int]
    width: int

    @nn.compact
    def __call__(self, x):
        if len(self.real) > 0:
            chosen = jnp.take(x, jnp.asarray(self.real), axis=-1)
        else:
            chosen = None
        found = []
        for i in self.real:
            found.append(nn.Dense(self.width)(chosen[..., i, None]))  # ! index-of-source-array
        return jnp.stack(found)


def by_rows(x, rows):
    x = jnp.asarray(x)
    part = x[rows].astype(jnp.float32)
    total = 0.0
    for n, row in enumerate(rows):
        total += n * part[row]  # ! index-of-source-array
    return total


def by_columns(x, columns):
    part = x[:, np.array(columns)]
    return [part[:, c].mean() for c in columns]  # ! index-of-source-array


def counted(x, rows):
    part = x[rows]
    return [part[n] for n, _ in enumerate(rows)]


def of_source(x, rows):
    part = x[rows]
    return [x[row] + part.sum() for row in rows]


def another_axis(x, columns):
    part = jnp.take(x, jnp.asarray(columns), axis=0)
    return [part[..., c] for c in columns]


def bound_again(x, columns, wide):
    part = x[:, columns]
    part = wide
    return [part[:, c] for c in columns]


def bound_in_loop(x, rows):
    part = x[rows]
    found = []
    for row in rows:
        row = 0
        found.append(part[row])
    return found


def other_numbers(x, rows, others):
    part = x[rows]
    return [part[n] for n in others]


def of_frame(frame, columns):
    """Columns of Pandas keep their names."""
    part, cut = frame[columns], frame.loc[:, columns]
    return [part[c] + cut[c] for c in columns]
