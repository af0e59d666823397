"""Micro-batched training of a small character transformer with clipping (equinox)."""
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


@dataclass(frozen=True)
class TrainConfig:
    vocab: int = 20
    dim: int = 16
    batch_size: int = 4
    grad_accum: int = 3
    grad_clip: float = 0.05
    lr: float = 1.0


class TinyGPT(eqx.Module):
    wte: jax.Array
    attn: eqx.nn.MultiheadAttention
    head: eqx.nn.Linear

    def __init__(self, cfg, key):
        k1, k2, k3 = jax.random.split(key, 3)
        self.wte = 0.2 * jax.random.normal(k1, (cfg.vocab, cfg.dim))
        self.attn = eqx.nn.MultiheadAttention(2, cfg.dim, key=k2)
        self.head = eqx.nn.Linear(cfg.dim, cfg.vocab, key=k3)

    def __call__(self, tokens):
        x = self.wte[tokens]
        mask = jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool))
        return jax.vmap(self.head)(x + self.attn(x, x, x, mask))


def loss_fn(model, tokens):
    logits = jax.vmap(model)(tokens[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def make_optimizer(cfg):
    inner = optax.chain(optax.clip_by_global_norm(cfg.grad_clip), optax.sgd(cfg.lr))
    return optax.MultiSteps(inner, every_k_schedule=cfg.grad_accum)


def fit(cfg, opt, model, micro_batches):
    params, static = eqx.partition(model, eqx.is_array)
    state = opt.init(params)

    @jax.jit
    def step(params, state, tokens):
        grads = jax.grad(lambda p: loss_fn(eqx.combine(p, static), tokens))(params)
        updates, state = opt.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    for tokens in micro_batches:
        params, state = step(params, state, tokens)
    return params


def reference(cfg, model, tokens):
    opt = optax.chain(optax.clip_by_global_norm(cfg.grad_clip), optax.sgd(cfg.lr))
    return fit(cfg, opt, model, [tokens])


if __name__ == "__main__":
    cfg = TrainConfig()
    model = TinyGPT(cfg, jax.random.key(0))
    tokens = jax.random.randint(jax.random.key(1), (cfg.grad_accum * cfg.batch_size, 9), 0, cfg.vocab)
    big = reference(cfg, model, tokens)
    accumulated = fit(cfg, make_optimizer(cfg), model, tokens.reshape(cfg.grad_accum, -1, 9))
    start = eqx.filter(model, eqx.is_array)
    moved = lambda p: float(optax.global_norm(jax.tree.map(jnp.subtract, p, start)))
    print("distance moved: one batch", moved(big), "micro-batches", moved(accumulated))
