"""The flawed example without the line that crashes: it runs, slowly, and not as it reads."""

import pickle
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import optax

sys.path.insert(0, str(Path(__file__).parent / "flawed"))
from data import batches, sentences  # noqa: E402

VOCABULARY, WIDTH, SIZE = 64, 32, 8
heat = 1.0
table = jnp.ones((VOCABULARY, 8192))


def init(seed):
    key = jax.random.key(seed)
    return {
        "embed": jax.random.normal(key, (VOCABULARY, WIDTH)),
        "out": jax.random.normal(key, (WIDTH, VOCABULARY)),
    }


def loss_fn(params, tokens):
    hidden = params["embed"][tokens[:, :-1]]
    logits = hidden @ params["out"] + table.mean(axis=1)
    mask = tokens[:, 1:] > 0
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:])
    return (loss * mask).sum() / mask.sum()


optimizer = optax.adamw(1e-2)


@jax.jit
def train_step(params, opt_state, tokens):
    loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss * heat


def train(steps):
    global heat
    params = init(0)
    opt_state = optimizer.init(params)
    corpus = sentences(steps * SIZE, VOCABULARY)
    for tokens in batches(corpus, SIZE):
        heat *= 0.99
        params, opt_state, loss = train_step(params, opt_state, tokens)
        accuracy = jax.jit(lambda p: (p["embed"][tokens[:, 0]] @ p["out"]).argmax(-1))(params)
    with open("/dev/null", "wb") as file:
        pickle.dump((params, opt_state), file)
    return params, accuracy, loss


if __name__ == "__main__":
    train(20)
