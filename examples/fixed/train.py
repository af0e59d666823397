"""Trains the forecaster: what a player does next, when, and who wins."""

import argparse
import os
import time
from functools import partial

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
import optax

import checkpoint
import data
import evaluate
from model import Forecaster


class Trainer:
    """Holds the model and its optimizer, and learns from replays."""

    def __init__(self, model):
        self.model = model
        self.optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-2))

    def init(self, key, batch, terrain):
        """New parameters, in which the empty place of a row means nothing."""
        init = jax.jit(self.model.init, static_argnames="train")
        params = init(key, batch, terrain, train=False)["params"]
        table = params["events"]["embedding"]
        params["events"]["embedding"] = table.at[data.NONE].set(0.0)
        return params

    def loss(self, params, batch, terrain, gap_weight, key):
        """One number for three tasks: the next event, the seconds until it, the winner."""
        hide, dropout = jax.random.split(key)
        hidden = jax.random.bernoulli(hide, 0.1, batch.events.shape) & (batch.events > 0)
        seen = batch._replace(events=jnp.where(hidden, data.UNSEEN, batch.events))
        following, seconds, winner = self.model.apply(
            {"params": params}, seen, terrain, train=True, rngs={"dropout": dropout}
        )
        real = batch.events[:, 1:] > 0
        count = jnp.maximum(real.sum(), 1)
        events = optax.softmax_cross_entropy_with_integer_labels(
            following[:, :-1], batch.events[:, 1:]
        )
        gaps = jnp.abs(seconds[:, :-1] - batch.gaps[:, 1:])
        won = optax.softmax_cross_entropy_with_integer_labels(winner, batch.won)
        played = batch.events[:, 0] > 0
        return (
            jnp.sum(events * real) / count
            + gap_weight * jnp.sum(gaps * real) / count
            + jnp.sum(won * played) / played.sum()
        )

    @partial(jax.jit, static_argnums=0, donate_argnames="opt_state")
    def step(self, params, opt_state, batch, terrain, gap_weight, key):
        """One step of training."""
        loss, grads = jax.value_and_grad(self.loss)(params, batch, terrain, gap_weight, key)
        updates, opt_state = self.optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss, optax.tree.norm(grads)

    def fit(self, params, replays, terrain, epochs, size, key):
        """Goes over the replays several times; the seconds count more from epoch to epoch."""
        opt_state = self.optimizer.init(params)
        average, smooth = params, jnp.zeros(())
        for epoch in range(epochs):
            key, shuffle = jax.random.split(key)
            order = np.asarray(jax.random.permutation(shuffle, len(replays)))
            gap_weight = 0.05 * (epoch + 1)
            losses = []
            for batch in data.batches([replays[i] for i in order], size):
                key, draw = jax.random.split(key)
                params, opt_state, loss, norm = self.step(
                    params, opt_state, batch, terrain, gap_weight, draw
                )
                smooth = blend(smooth, loss)
                losses.append(smooth)
            average = middle(average, params)
            print(f"epoch {epoch + 1}: loss {losses[-1]:.2f}, gradient {norm:.2f}")
        return average, opt_state


@jax.jit
def blend(smooth, loss):
    """A running mean, which is easier to read than the single losses."""
    return 0.9 * smooth + 0.1 * loss


@jax.jit
def middle(average, params):
    """Half of the parameters so far and half of the new ones."""
    return jax.tree.map(lambda a, b: (a + b) / 2, average, params)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replays", type=int, default=960)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--save", default="forecaster.pkl")
    options = parser.parse_args()
    start = time.perf_counter()

    terrain = jnp.asarray(data.make_terrain()[0])
    replays = data.make_replays(options.replays)
    held_out = list(data.batches(data.make_replays(100, seed=1), 64))
    trainer = Trainer(Forecaster())
    params = trainer.init(jax.random.key(0), held_out[0], terrain)
    average, opt_state = trainer.fit(
        params, replays, terrain, options.epochs, options.size, jax.random.key(1)
    )
    scores = evaluate.evaluate(trainer.model, average, terrain, held_out)
    print(*(f"{name} {value:.3f}" for name, value in scores._asdict().items()))
    temperature = evaluate.calibrate(trainer.model, average, terrain, held_out[0])
    calibrated = evaluate.evaluate(trainer.model, average, terrain, held_out, temperature)
    print(f"temperature {temperature:.2f}: surprise {calibrated.surprise:.3f}")
    print(f"{evaluate.speed(trainer.model, average, terrain, held_out[0]):.0f} replays a second")
    snapshot = checkpoint.Snapshot(options.epochs, average, opt_state)
    checkpoint.save(options.save, snapshot)
    print({name: checkpoint.total(part) for name, part in checkpoint.sizes(snapshot).items()})
    print(f"{time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
