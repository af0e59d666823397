"""A step that is compiled, but for debugging, and for whoever only converts parameters."""

import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-3)


def as_it_is(function, donate_argnums=()):
    return function


def make_step():
    def step(state, batch):
        grads = jax.grad(lambda w: jnp.sum(w * batch))(state["params"])
        updates, opt = tx.update(grads, state["opt"], state["params"])
        return {"params": optax.apply_updates(state["params"], updates), "opt": opt}

    return step


class Trainer:
    def __init__(self, params, maybe_jit):
        self.state = {"params": params, "opt": tx.init(params)}
        self.step = maybe_jit(make_step(), donate_argnums=(0,))

    def train(self, batch):
        self.state = self.step(self.state, batch)


def make_trainer(params, debug):
    if debug:
        maybe_jit = as_it_is
    else:
        maybe_jit = jax.jit
    return Trainer(params, maybe_jit)


def convert(params):
    return Trainer(params, maybe_jit=as_it_is)


def main(batches, debug):
    trainer = make_trainer(jnp.ones(3), debug)
    for batch in batches:
        trainer.train(batch)
    print(trainer.state)


if __name__ == "__main__":
    main([], False)
