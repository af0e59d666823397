"""An annotation says array; the call passes a setting that is closed over."""

import functools

import chex
import jax


def td_loss(q, huber: chex.Array):
    if huber > 0.0:
        return (q**2).mean()
    return q.mean()


def make(config):
    @jax.jit
    def step(q):
        return td_loss(q, config.huber)

    return step


def split_loss(logits, splits: chex.Array):
    if splits[0] > 0:
        return logits[: splits[0]]
    return logits


def losses(settings):
    return {name: functools.partial(split_loss, splits=settings[name]) for name in settings}


def train(settings, name):
    loss = losses(settings)[name]

    @jax.jit
    def step(logits):
        return split_loss(logits, splits=settings[name]), loss(logits)

    return step


METRICS = {"one": split_loss, "none": td_loss}


def evaluate(settings, task):
    @jax.jit
    def step(logits):
        options = {"splits": settings[task]}
        return METRICS[task](logits, **options), split_loss(logits, **settings)

    return step
