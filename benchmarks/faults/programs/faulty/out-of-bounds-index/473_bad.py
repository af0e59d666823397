"""Sentiment RNN: read-out at the last token of each padded review."""
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclass(frozen=True)
class Hps:
    vocab: int = 30
    dim: int = 12
    max_pad: int = 10
    lr: float = 1e-2


def tokenize(rng, n, hps):
    lengths = rng.integers(4, hps.max_pad + 1, n)
    inputs = np.zeros((n, hps.max_pad), np.int32)
    labels = np.zeros(n, np.int32)
    for i, length in enumerate(lengths):
        inputs[i, :length] = rng.integers(1, hps.vocab, length)
        labels[i] = inputs[i, length - 1] % 2
    return {"inputs": inputs, "labels": labels, "index": lengths.astype(np.int32)}


def init_params(key, hps):
    k = jax.random.split(key, 4)
    return {
        "embed": jax.random.normal(k[0], (hps.vocab, hps.dim)),
        "wx": jax.random.normal(k[1], (hps.dim, hps.dim)) * 0.3,
        "wh": jax.random.normal(k[2], (hps.dim, hps.dim)) * 0.3,
        "out": jax.random.normal(k[3], (hps.dim, 2)) * 0.3,
    }


def unroll(params, tokens):
    def cell(h, tok):
        h = jnp.tanh(params["embed"][tok] @ params["wx"] + h @ params["wh"])
        return h, h @ params["out"]

    return jax.lax.scan(cell, jnp.zeros(params["wh"].shape[0]), tokens)[1]


def select(outputs, index):
    return jax.vmap(lambda o, i: o[i])(outputs, index)


def loss_fn(params, batch):
    outputs = jax.vmap(unroll, (None, 0))(params, batch["inputs"])
    logits = select(outputs, batch["index"])
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["labels"]).mean()
    return loss, jnp.mean(logits.argmax(-1) == batch["labels"])


def train(hps, steps=150):
    opt = optax.adam(hps.lr)
    params = init_params(jax.random.key(0), hps)
    state = opt.init(params)

    @jax.jit
    def step(params, state, batch):
        (loss, acc), g = jax.value_and_grad(loss_fn, has_aux=True)(params, batch)
        updates, state = opt.update(g, state, params)
        return optax.apply_updates(params, updates), state, loss, acc

    rng = np.random.default_rng(0)
    for _ in range(steps):
        params, state, loss, acc = step(params, state, tokenize(rng, 64, hps))
    return loss, acc


if __name__ == "__main__":
    hps = Hps()
    b = tokenize(np.random.default_rng(1), 200, hps)
    print("rows whose index equals the time length:", int((b["index"] == hps.max_pad).sum()))
    print("loss %.3f accuracy %.3f" % train(hps))
