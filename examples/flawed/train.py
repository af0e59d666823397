"""A small language model, trained with the mistakes that everybody makes once."""

import pickle

import jax
import jax.numpy as jnp
import optax
from data import batches, sentences

VOCABULARY, WIDTH, SIZE = 64, 32, 8
heat = 1.0
losses = []


def init(seed):
    key = jax.random.key(seed)
    return {
        "embed": jax.random.normal(key, (VOCABULARY, WIDTH)),
        "out": jax.random.normal(key, (WIDTH, VOCABULARY)),
    }


def loss_fn(params, tokens):
    hidden = params["embed"][tokens[:, :-1]]
    logits = hidden @ params["out"]
    if jnp.isnan(logits).any():
        raise ValueError("the logits are not finite")
    mask = tokens[:, 1:] > 0
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:])
    return (loss * mask).sum() / mask.sum()


optimizer = optax.adamw(1e-2)


@jax.jit
def train_step(params, opt_state, tokens):
    loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
    losses.append(loss)
    print("loss", loss)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss * heat


def cool():
    global heat
    heat *= 0.99


def train(steps):
    params = init(0)
    opt_state = optimizer.init(params)
    corpus = sentences(steps * SIZE, VOCABULARY)
    for tokens in batches(corpus, SIZE):
        cool()
        params, opt_state, loss = train_step(params, opt_state, tokens)
        accuracy = jax.jit(lambda p: (p["embed"][tokens[:, 0]] @ p["out"]).argmax(-1))(params)
        params["embed"].at[0].set(0.0)
    with open("state.pkl", "wb") as file:
        pickle.dump((params, opt_state), file)
    return params, accuracy


if __name__ == "__main__":
    train(20)
