"""Linen regression with augmentation drawn on the host and a bounded metric history."""
from collections import deque

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState


class Regressor(nn.Module):
    hidden: int = 32

    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.tanh(nn.Dense(self.hidden)(x)))[..., 0]


class MetricWindow:
    def __init__(self, size):
        self.values = deque(maxlen=size)

    def push(self, value):
        self.values.append(value)

    def flush(self):
        out = np.asarray(jax.device_get(list(self.values)))
        self.values.clear()
        return out


@jax.jit
def train_step(state, x, y):
    print("tracing train_step for", x.shape)

    def loss_fn(params):
        return jnp.mean((state.apply_fn({"params": params}, x) - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def augment(x, rng):
    scale = 1.0 + 0.05 * rng.normal(size=(len(x), 1))
    return (x * scale + 0.01 * np.random.standard_normal(x.shape)).astype(np.float32)


def epoch_batches(x, y, batch_size, rng):
    order = rng.permutation(len(x))
    for i in range(0, len(x) - batch_size + 1, batch_size):
        pick = order[i:i + batch_size]
        yield augment(x[pick], rng), y[pick]


def main(epochs=3):
    np.random.seed(0)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 4)).astype(np.float32)
    y = np.sin(x).sum(1).astype(np.float32)
    model = Regressor()
    state = TrainState.create(
        apply_fn=model.apply, params=model.init(jax.random.key(0), x[:1])["params"], tx=optax.adam(1e-2))
    window = MetricWindow(size=64)
    for epoch in range(epochs):
        for xb, yb in epoch_batches(x, y, 32, rng):
            state, loss = train_step(state, xb, yb)
            window.push(loss)
        print("epoch", epoch, "loss", window.flush().mean())


if __name__ == "__main__":
    main()
