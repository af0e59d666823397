"""High-level Model.fit with donated training state."""
import dataclasses
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class ModelState:
    params: Any
    opt_state: Any
    step: jax.Array


tx = optax.adam(1e-2)


def init_state(key, din=16, classes=3):
    params = {"w": 0.1 * jax.random.normal(key, (din, classes)), "b": jnp.zeros(classes)}
    return ModelState(params, tx.init(params), jnp.int32(0))


def loss_fn(params, x, y):
    logits = x @ params["w"] + params["b"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


@partial(jax.jit, donate_argnums=0)
def train_step(state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(state.params, x, y)
    updates, opt_state = tx.update(grads, state.opt_state)
    params = optax.apply_updates(state.params, updates)
    return ModelState(params, opt_state, state.step + 1), loss


@jax.jit
def test_step(state, x, y):
    return loss_fn(state.params, x, y)


class Model:
    def __init__(self, state):
        self.state = state

    def train_on_batch(self, x, y):
        self.state, loss = train_step(self.state, x, y)
        return loss

    def fit(self, data, val_data, epochs):
        best, best_state = np.inf, self.state
        for _ in range(epochs):
            for x, y in data:
                self.train_on_batch(x, y)
            val = float(test_step(self.state, *val_data))
            if val < best:
                best, best_state = val, self.state
        self.state = best_state
        return best


def batches(n, seed):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        x = rng.normal(size=(32, 16)).astype(np.float32)
        yield x, rng.integers(0, 3, 32).astype(np.int32)


if __name__ == "__main__":
    model = Model(init_state(jax.random.PRNGKey(0)))
    (val,) = batches(1, 9)
    best = model.fit(list(batches(4, 0)), val, epochs=8)
    print("best", best, "restored", float(test_step(model.state, *val)))
