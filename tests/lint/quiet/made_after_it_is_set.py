"""What a method sets before it calls the one that jits is in every program from then on."""

import jax
import jax.numpy as jnp


class Trainer:
    def __init__(self):
        self.tau = 0.0

    def loss(self, params, x):
        return jnp.mean(params * x > self.tau)

    def train_fns(self):
        loss_fn = jax.jit(self.loss)
        return loss_fn, loss_fn

    def train(self, params, data):
        loss_fn, _ = self.train_fns()
        return [loss_fn(params, x) for x in data]

    def run(self, params, data):
        self.tau = params.mean()
        return self.train(params, data)


def main(params, data):
    return Trainer().run(params, data)
