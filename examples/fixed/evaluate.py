"""How good the model is on replays that it has not seen."""

import time
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax


class Scores(NamedTuple):
    """What one evaluation found; each number is a mean."""

    accuracy: float
    surprise: float
    seconds_off: float
    winner: float


@partial(jax.jit, static_argnames="model")
def predict(model, params, terrain, batch):
    """The model's guesses for a batch."""
    return model.apply({"params": params}, batch, terrain, train=False)


@jax.jit
def surprise(following, events, temperature):
    """The negative log likelihood of what happened, summed over the real events."""
    logp = jax.nn.log_softmax(following / temperature)
    found = jnp.take_along_axis(logp, events[..., None], axis=-1)[..., 0]
    return -jnp.sum(found * (events > 0))


def evaluate(model, params, terrain, batches, temperature=1.0):
    """The scores over all batches."""
    hits, off, wins, lost = [], [], [], 0.0
    for batch in batches:
        following, seconds, winner = predict(model, params, terrain, batch)
        events, real = batch.events[:, 1:], batch.events[:, 1:] > 0
        lost += surprise(following[:, :-1], events, temperature)
        following, seconds, winner = jax.device_get((following, seconds, winner))
        hits.append((following[:, :-1].argmax(-1) == events)[real])
        off.append(np.abs(seconds[:, :-1] - batch.gaps[:, 1:])[real])
        wins.append((winner.argmax(-1) == batch.won)[batch.events[:, 0] > 0])
    hits, off, wins = np.concatenate(hits), np.concatenate(off), np.concatenate(wins)
    return Scores(hits.mean(), float(lost) / len(hits), off.mean(), wins.mean())


def calibrate(model, params, terrain, batch, steps=40):
    """The temperature that makes the guesses as sure as they are right."""
    optimizer = optax.chain(optax.scale_by_adam(), optax.scale(-0.01))
    following = predict(model, params, terrain, batch)[0][:, :-1]
    events = batch.events[:, 1:]

    @jax.jit
    def step(temperature, opt_state, following, events):
        grad = jax.grad(lambda t: surprise(following, events, t))(temperature)
        updates, opt_state = optimizer.update(grad, opt_state)
        return optax.apply_updates(temperature, updates), opt_state

    temperature = jnp.ones(())
    opt_state = optimizer.init(temperature)
    for _ in range(steps):
        temperature, opt_state = step(temperature, opt_state, following, events)
    return float(temperature)


def speed(model, params, terrain, batch, times=20):
    """How many replays a second the model reads."""
    jax.block_until_ready(predict(model, params, terrain, batch))
    start = time.perf_counter()
    for _ in range(times):
        guesses = predict(model, params, terrain, batch)
    jax.block_until_ready(guesses)
    return times * len(batch.won) / (time.perf_counter() - start)
