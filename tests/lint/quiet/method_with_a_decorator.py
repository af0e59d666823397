"""Positions of `jit(self.method)` count without self, whatever else decorates the method."""

import typed
import jax
import jax.numpy as jnp


class Sampler:
    def __init__(self, compiled: bool):
        self.compiled = compiled
        self._jitted = jax.jit(self._process, static_argnums=[4, 5])

    @property
    def process(self):
        if self.compiled:
            return self._jitted
        return self._process

    @typed.checked
    def _process(self, params, tokens, rng, lengths: jax.Array, steps: int, logits: bool):
        return tokens[:steps] + lengths if logits else tokens

    def __call__(self, ids, params, tokens, rng):
        lengths = jnp.asarray([len(each) for each in ids])
        return self.process(params, tokens, rng, lengths, 3, True)


def main(tokens):
    return Sampler(True)(["a"], tokens, tokens, None)
