"""A loop in a base class calls `self.step`, which a mixin of the classes below has compiled."""

from functools import partial

import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class Trainer:
    def fit(self, state: TrainState, batches):
        for _ in range(100):
            for batch in batches:
                state = self.step(state, batch)
            print(int(state.step))
        return state

    def step(self, state: TrainState, batch):
        grads = jax.grad(lambda params: jnp.mean((batch @ params["w"]) ** 2))(state.params)
        return state.apply_gradients(grads=grads)


class Compiled:
    @partial(jax.jit, static_argnums=0)
    def step(self, state, batch):
        return super().step(state, batch)


class CompiledTrainer(Compiled, Trainer):
    pass


if __name__ == "__main__":
    params = {"w": jnp.ones((3, 1))}
    state = TrainState.create(apply_fn=None, params=params, tx=optax.sgd(0.1))
    CompiledTrainer().fit(state, [jnp.ones((4, 3))])
