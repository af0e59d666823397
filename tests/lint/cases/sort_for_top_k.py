"""A few elements of a sorted array, and arrays that are sorted for more."""

import jax
import jax.numpy as jnp
import numpy as np


def largest(scores, k):
    return jnp.argsort(scores)[-k:]  # ! sort-for-top-k


def largest_first(scores):
    return jnp.argsort(scores)[::-1][:5]  # ! sort-for-top-k


def of_each_row(scores, top_k):
    return jnp.argsort(scores, axis=-1)[:, -top_k:][:, ::-1]  # ! sort-for-top-k


def nearest(distances, k):
    return jnp.argsort(distances, axis=-1)[..., :k]  # ! sort-for-top-k


def threshold(logits, top_k):
    lowest = jnp.sort(logits)[..., -top_k]  # ! sort-for-top-k
    return jnp.where(logits < lowest[..., None], -jnp.inf, logits)


def partitioned(scores, k):
    return jnp.argpartition(scores, -k)[-k:]  # ! sort-for-top-k


class Sampler:
    k = 3

    def best(self, scores):
        order = jnp.argsort(scores)
        return order[: self.k]  # ! sort-for-top-k


def by_top_k(scores, k):
    return jax.lax.top_k(scores, k)[1]


def sorted_for_more(scores, k):
    order = jnp.argsort(scores)
    return order[:k], order[k:]


def all_but_the_first(x):
    return jnp.sort(x)[1:], jnp.sort(x)[:-1]


def differences(x):
    return jnp.sort(x)[1:] - jnp.sort(x)[:-1]


def median(x):
    return jnp.sort(x)[x.shape[0] // 2]


def extremes(x):
    return jnp.sort(x)[0], jnp.sort(x)[-1]


def reversed_only(x):
    return jnp.sort(x)[::-1]


def along_the_columns(x, k):
    return jnp.argsort(x, axis=0)[:, :k]


def on_the_host(x, k):
    return np.argsort(x)[-k:]


def every_other(x):
    return jnp.sort(x)[::2]


def rows_by_position(x, k):
    return jnp.sort(x, 0)[:k]
