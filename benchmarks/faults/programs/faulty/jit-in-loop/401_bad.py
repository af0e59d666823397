"""Character level transformer on synthetic text."""
import dataclasses

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclasses.dataclass
class Config:
    vocab: int = 32
    width: int = 32
    heads: int = 2
    layers: int = 2
    seq_len: int = 24
    batch_size: int = 8
    steps: int = 6
    lr: float = 3e-4
    seed: int = 0


class Block(nn.Module):
    width: int
    heads: int

    @nn.compact
    def __call__(self, x, mask):
        y = nn.LayerNorm()(x)
        x = x + nn.MultiHeadDotProductAttention(num_heads=self.heads)(y, y, mask=mask)
        y = nn.LayerNorm()(x)
        return x + nn.Dense(self.width)(nn.gelu(nn.Dense(2 * self.width)(y)))


class Transformer(nn.Module):
    cfg: Config

    @nn.compact
    def __call__(self, tokens):
        mask = nn.make_causal_mask(tokens)
        x = nn.Embed(self.cfg.vocab, self.cfg.width)(tokens)
        for _ in range(self.cfg.layers):
            x = Block(self.cfg.width, self.cfg.heads)(x, mask)
        return nn.Dense(self.cfg.vocab)(x)


def next_token_loss(model, params, tokens):
    logits = model.apply(params, tokens[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def train_step(model, tx, params, opt_state, tokens):
    def loss_fn(p):
        return next_token_loss(model, p, tokens)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def train(cfg):
    rng = np.random.default_rng(cfg.seed)
    model = Transformer(cfg)
    params = model.init(jax.random.key(cfg.seed), jnp.zeros((1, cfg.seq_len), jnp.int32))
    tx = optax.adamw(cfg.lr)
    opt_state = tx.init(params)
    history = []
    for step in range(cfg.steps):
        tokens = rng.integers(0, cfg.vocab, (cfg.batch_size, cfg.seq_len + 1)).astype(np.int32)
        update = jax.jit(lambda p, o, t: train_step(model, tx, p, o, t))
        params, opt_state, loss = update(params, opt_state, tokens)
        history.append(loss)
    return params, [float(l) for l in history]


if __name__ == "__main__":
    _, losses = train(Config())
    print("final loss", losses[-1])
