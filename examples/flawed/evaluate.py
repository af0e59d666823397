"""How good the model is on replays that it has not seen."""

import time
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax

temperature = 1.0


class Scores(NamedTuple):
    """What one evaluation found; each number is a mean."""

    accuracy: float
    surprise: float
    seconds_off: float
    winner: float


@jax.jit
def surprise(following, events):
    """The negative log likelihood of what happened, summed over the real events."""
    logp = jnp.log(jax.nn.softmax(following / temperature))
    found = jnp.take_along_axis(logp, events[..., None], axis=-1)[..., 0]
    return -jnp.sum(found * (events > 0))


def evaluate(model, params, terrain, batches, key):
    """The scores over all batches."""
    hits, off, wins, lost = jnp.zeros(0), jnp.zeros(0), jnp.zeros(0), 0.0
    for batch in batches:

        @jax.jit
        def predict(params):
            """The model's guesses for a batch."""
            return model.apply(
                {"params": params}, batch, terrain, train=True, rngs={"dropout": key}
            )

        following, seconds, winner = predict(params)
        events, real = batch.events[:, 1:], batch.events[:, 1:] > 0
        lost += surprise(following[:, :-1], events)
        right = (following[:, :-1].argmax(-1) == events)[real]
        hits = jnp.concatenate([hits, right])
        off = jnp.concatenate([off, jnp.abs(seconds[:, :-1] - batch.gaps[:, 1:])[real]])
        wins = jnp.concatenate([wins, winner.argmax(-1) == batch.won])
    return Scores(hits.mean(), float(lost) / len(hits), off.mean(), wins.mean())


def calibrate(model, params, terrain, batch, steps=40):
    """The temperature that makes the guesses as sure as they are right."""
    global temperature
    optimizer = optax.chain(optax.scale_by_adam(), optax.scale(0.01))
    following = model.apply({"params": params}, batch, terrain, train=False)[0][:, :-1]
    events = batch.events[:, 1:]

    def loss(t):
        losses = optax.softmax_cross_entropy_with_integer_labels(following / t, events)
        return jnp.sum(losses * (events > 0))

    temperature = jnp.ones(())
    for _ in range(steps):
        grad = jax.grad(loss)(temperature)
        updates, _ = optimizer.update(grad, optimizer.init(temperature))
        temperature = optax.apply_updates(temperature, updates)
    return float(temperature)


def speed(model, params, terrain, batch, times=20):
    """How many replays a second the model reads."""
    predict = jax.jit(model.apply, static_argnames="train")
    start = time.perf_counter()
    for _ in range(times):
        predict({"params": params}, batch, terrain, train=False)
    return times * len(batch.won) / (time.perf_counter() - start)
