from dataclasses import dataclass

import jax
import jax.numpy as jnp
from flax import linen as nn


@dataclass(frozen=True)
class DecodeConfig:
    vocab: int = 32
    width: int = 24
    max_len: int = 10
    eos_id: int = 1


class TinyDecoder(nn.Module):
    cfg: DecodeConfig

    @nn.compact
    def __call__(self, tok):
        x = nn.Embed(self.cfg.vocab, self.cfg.width)(tok)
        x = nn.gelu(nn.Dense(self.cfg.width)(x))
        return nn.Dense(self.cfg.vocab)(x)


class ActionSampler:
    def __init__(self, cfg, params):
        self.cfg = cfg
        self.model = TinyDecoder(cfg)
        self.params = params
        self._sample = jax.jit(self._sample_actions)

    def _sample_actions(self, params, rng, first_tok, temperature):
        def cond(carry):
            _, _, _, done, t = carry
            return (~done.all()) & (t < self.cfg.max_len)

        def step(carry):
            rng, tok, out, done, t = carry
            logits = self.model.apply(params, tok)
            rng, sub = jax.random.split(rng)
            if temperature > 0.0:
                tok = jax.random.categorical(sub, logits / temperature, axis=-1)
            else:
                tok = jnp.argmax(logits, axis=-1)
            out = out.at[:, t].set(tok)
            return rng, tok, out, done | (tok == self.cfg.eos_id), t + 1

        batch = first_tok.shape[0]
        out = jnp.zeros((batch, self.cfg.max_len), first_tok.dtype)
        init = (rng, first_tok, out, jnp.zeros(batch, bool), 0)
        return jax.lax.while_loop(cond, step, init)[2]

    def infer(self, rng, first_tok, temperature=0.0):
        return self._sample(self.params, rng, first_tok, temperature)


def main():
    cfg = DecodeConfig()
    toks = jnp.arange(2, 6)
    params = TinyDecoder(cfg).init(jax.random.key(0), toks)
    sampler = ActionSampler(cfg, params)
    print(sampler.infer(jax.random.key(1), toks, temperature=0.7).shape)
    print(sampler.infer(jax.random.key(2), toks).shape)


if __name__ == "__main__":
    main()
