"""Offline RL: behaviour cloning from an in-memory replay dataset."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax


class Transition(NamedTuple):
    observation: jax.Array
    action: jax.Array
    reward: jax.Array


class InMemoryDataset:
    """Keeps the transitions on the device and draws random minibatches."""

    def __init__(self, transitions, batch_size, seed=0):
        self._data = jax.device_put(transitions)
        self._size = len(transitions.reward)
        self._batch_size = batch_size
        self._key = jax.random.PRNGKey(seed)
        self._sample = jax.jit(self._gather)

    def _gather(self, data, key):
        idx = jax.random.randint(key, (self._batch_size,), 0, self._size)
        return jax.tree.map(lambda d: jnp.take(d, idx, axis=0), data)

    def __iter__(self):
        return self

    def __next__(self):
        self._key, sub = jax.random.split(self._key)
        return self._sample(self._data, sub)


def make_dataset(n=20000, seed=0):
    rng = np.random.default_rng(seed)
    obs = rng.integers(0, 255, size=(n, 28, 28, 2)).astype(np.uint8)
    act = rng.integers(0, 6, size=n).astype(np.int32)
    return Transition(obs, act, rng.normal(size=n).astype(np.float32))


def init_params(key, hidden=64, actions=6):
    k1, k2 = jax.random.split(key)
    return {"w1": jax.random.normal(k1, (28 * 28 * 2, hidden)) * 0.02,
            "w2": jax.random.normal(k2, (hidden, actions)) * 0.1}


def bc_loss(params, batch):
    x = batch.observation.reshape(len(batch.action), -1) / 255.0
    logits = jax.nn.relu(x @ params["w1"]) @ params["w2"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, batch.action).mean()


optimizer = optax.adam(1e-3)


@jax.jit
def update(params, opt_state, batch):
    loss, grads = jax.value_and_grad(bc_loss)(params, batch)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


if __name__ == "__main__":
    dataset = InMemoryDataset(make_dataset(), batch_size=64)
    params = init_params(jax.random.PRNGKey(1))
    opt_state = optimizer.init(params)
    for step in range(30):
        params, opt_state, loss = update(params, opt_state, next(dataset))
    print("loss", float(loss))
