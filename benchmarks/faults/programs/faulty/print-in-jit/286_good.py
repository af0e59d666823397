from dataclasses import dataclass

import jax
import jax.numpy as jnp
from flax import linen as nn


@dataclass(frozen=True)
class ModelConfig:
    d_model: int = 16
    heads: int = 2
    layers: int = 2
    vocab: int = 50
    verbose: bool = True


class Block(nn.Module):
    cfg: ModelConfig

    @nn.compact
    def __call__(self, x):
        b, t, d = x.shape
        h = nn.LayerNorm()(x)
        qkv = nn.Dense(3 * d, use_bias=False)(h).reshape(b, t, 3, self.cfg.heads, -1)
        q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(q.shape[-1])
        causal = jnp.tril(jnp.ones((t, t), bool))
        att = nn.softmax(jnp.where(causal, scores, -1e9), axis=-1)
        out = jnp.einsum("bhqk,bkhd->bqhd", att, v).reshape(b, t, d)
        x = x + nn.Dense(d)(out)
        if self.cfg.verbose:
            rms = jnp.sqrt(jnp.mean(x**2))
            jax.debug.print("[" + self.name + "] residual rms {r}", r=rms)
        return x + nn.Dense(d)(nn.gelu(nn.Dense(4 * d)(nn.LayerNorm()(x))))


class LanguageModel(nn.Module):
    cfg: ModelConfig

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(self.cfg.vocab, self.cfg.d_model)(tokens)
        for i in range(self.cfg.layers):
            x = Block(self.cfg, name=f"block{i}")(x)
        return nn.Dense(self.cfg.vocab)(x)


class CausalTransformer:
    def __init__(self, cfg, seed=0):
        self.model = LanguageModel(cfg)
        tokens = jnp.zeros((1, 4), jnp.int32)
        self.variables = jax.jit(self.model.init)(jax.random.key(seed), tokens)
        self.eval_fn = jax.jit(self._eval)

    def _eval(self, variables, tokens):
        logits = self.model.apply(variables, tokens[:, :-1])
        logp = jax.nn.log_softmax(logits)
        return -jnp.take_along_axis(logp, tokens[:, 1:, None], -1).mean()

    def eval(self, tokens):
        return float(self.eval_fn(self.variables, tokens))


if __name__ == "__main__":
    net = CausalTransformer(ModelConfig())
    for s in range(3):
        print("loss", net.eval(jax.random.randint(jax.random.key(s), (2, 9), 0, 50)))
