"""Each turn of the loop has a key of its own while training, and none otherwise."""

import jax


class Block:
    def __init__(self, rate):
        self.rate = rate

    def __call__(self, x, train, key):
        if train:
            x = x * jax.random.bernoulli(key, self.rate, x.shape)
        return x


class Stack:
    def __init__(self, n):
        self.blocks = [Block(0.9) for _ in range(n)]

    def __call__(self, x, train, rng=None):
        key = None
        for block in self.blocks:
            if train:
                rng, key = jax.random.split(rng)
            x = block(x, train, key)
        return x
