"""GRPO-style policy update: rollouts are packed into micro-batches up to a token budget."""
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


@dataclass
class RolloutConfig:
    vocab: int = 64
    dim: int = 16
    rollouts: int = 24
    token_budget: int = 96
    max_len: int = 60


class TinyPolicy(nnx.Module):
    def __init__(self, cfg, rngs):
        self.embed = nnx.Embed(cfg.vocab, cfg.dim, rngs=rngs)
        self.mix = nnx.Linear(cfg.dim, cfg.dim, rngs=rngs)
        self.head = nnx.Linear(cfg.dim, cfg.vocab, rngs=rngs)

    def __call__(self, tokens):
        return self.head(nnx.gelu(self.mix(self.embed(tokens))))


def generate_rollouts(cfg, rng):
    lengths = rng.integers(8, cfg.max_len, cfg.rollouts)
    return [(rng.integers(1, cfg.vocab, n).astype(np.int32), rng.normal()) for n in lengths]


def pack(rollouts, cfg):
    """Greedily fills micro-batches up to the token budget."""
    batches, cur, used = [], [], 0
    for seq, adv in rollouts:
        if used + len(seq) > cfg.token_budget and cur:
            batches.append(cur)
            cur, used = [], 0
        cur.append((seq, adv))
        used += len(seq)
    batches.append(cur)
    return [collate(b, cfg) for b in batches]


def collate(items, cfg):
    tokens = np.concatenate([s for s, _ in items])
    adv = np.concatenate([np.full(len(s), a, np.float32) for s, a in items])
    pad = cfg.token_budget - len(tokens)
    return np.pad(tokens, (0, pad)), np.pad(adv, (0, pad))


@nnx.jit
def update(policy, optimizer, tokens, adv):
    def loss_fn(policy):
        logp = jax.nn.log_softmax(policy(tokens[:-1]))
        picked = jnp.take_along_axis(logp, tokens[1:, None], axis=-1)[:, 0]
        return -jnp.sum(adv[1:] * picked) / jnp.maximum(jnp.sum(adv[1:] != 0), 1)

    loss, grads = nnx.value_and_grad(loss_fn)(policy)
    optimizer.update(policy, grads)
    return loss


def main(iterations=2):
    cfg, rng = RolloutConfig(), np.random.default_rng(0)
    policy = TinyPolicy(cfg, nnx.Rngs(0))
    optimizer = nnx.Optimizer(policy, optax.adam(1e-3), wrt=nnx.Param)
    losses = []
    for _ in range(iterations):
        for tokens, adv in pack(generate_rollouts(cfg, rng), cfg):
            losses.append(update(policy, optimizer, tokens, adv))
    print(len(losses), "updates, last loss", float(losses[-1]))


if __name__ == "__main__":
    main()
