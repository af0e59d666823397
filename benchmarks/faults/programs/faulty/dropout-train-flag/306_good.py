from dataclasses import dataclass

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


@dataclass(frozen=True)
class GPTConfig:
    block_size: int = 8
    vocab_size: int = 30
    n_embd: int = 16
    dropout: float = 0.2


class CausalSelfAttention(nn.Module):
    cfg: GPTConfig

    @nn.compact
    def __call__(self, x, train):
        t = x.shape[1]
        q, k, v = jnp.split(nn.Dense(3 * self.cfg.n_embd)(x), 3, axis=-1)
        att = q @ k.swapaxes(-1, -2) / jnp.sqrt(self.cfg.n_embd)
        att = jnp.where(jnp.tril(jnp.ones((t, t), bool)), att, -1e9)
        att = nn.Dropout(self.cfg.dropout, deterministic=not train)(
            nn.softmax(att)
        )
        y = nn.Dense(self.cfg.n_embd)(att @ v)
        return nn.Dropout(self.cfg.dropout, deterministic=not train)(y)


class GPT(nn.Module):
    cfg: GPTConfig

    @nn.compact
    def __call__(self, idx, train: bool):
        x = nn.Embed(self.cfg.vocab_size, self.cfg.n_embd)(idx)
        x = x + CausalSelfAttention(self.cfg)(nn.LayerNorm()(x), train)
        return nn.Dense(self.cfg.vocab_size)(nn.LayerNorm()(x))


def make_fns(model, tx):
    def loss_fn(params, idx, train, rng):
        logits = model.apply(
            {"params": params}, idx[:, :-1], train, rngs={"dropout": rng}
        )
        return optax.softmax_cross_entropy_with_integer_labels(logits, idx[:, 1:]).mean()

    @jax.jit
    def train_step(params, opt_state, idx, rng):
        loss, g = jax.value_and_grad(loss_fn)(params, idx, True, rng)
        updates, opt_state = tx.update(g, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    @jax.jit
    def eval_step(params, idx, rng):
        return loss_fn(params, idx, False, rng)

    return train_step, eval_step


def main():
    cfg = GPTConfig()
    model = GPT(cfg)
    idx = jax.random.randint(jax.random.key(0), (8, cfg.block_size + 1), 0, 30)
    params = model.init(jax.random.key(1), idx[:, :-1], False)["params"]
    tx = optax.adamw(1e-2)
    opt_state = tx.init(params)
    train_step, eval_step = make_fns(model, tx)
    for key in jax.random.split(jax.random.key(2), 10):
        params, opt_state, loss = train_step(params, opt_state, idx, key)
    evals = {float(eval_step(params, idx, jax.random.key(s))) for s in range(4)}
    print("train loss", float(loss), "distinct eval losses", len(evals))


if __name__ == "__main__":
    main()
