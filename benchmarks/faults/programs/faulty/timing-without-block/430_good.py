"""Dynamics-model training loop that reports step time (nnx)."""
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


class Dynamics(nnx.Module):
    def __init__(self, dim, hidden, rngs):
        self.fc1 = nnx.Linear(dim, hidden, rngs=rngs)
        self.fc2 = nnx.Linear(hidden, hidden, rngs=rngs)
        self.fc3 = nnx.Linear(hidden, dim, rngs=rngs)

    def __call__(self, x):
        return x + self.fc3(nnx.silu(self.fc2(nnx.silu(self.fc1(x)))))


@nnx.jit
def train_step(model, optimizer, frames):
    def loss_fn(model):
        pred = model(frames[:, :-1])
        return jnp.mean((pred - frames[:, 1:]) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def video_batches(n, batch=256, length=16, dim=64, seed=0):
    rng = np.random.default_rng(seed)
    data = jnp.asarray(rng.normal(size=(batch, length, dim)).astype(np.float32).cumsum(1))
    for _ in range(n):
        yield data


def train(model, optimizer, batches, log_interval=5):
    metrics = {}
    for step, frames in enumerate(batches):
        start = time.perf_counter()
        loss = jax.block_until_ready(train_step(model, optimizer, frames))
        elapsed = time.perf_counter() - start
        metrics = {"loss": loss, "step_time_ms": elapsed * 1000}
        if step % log_interval == 0:
            print(f"step {step} loss {float(metrics['loss']):.4f} step_time_ms {metrics['step_time_ms']:.1f}")
    return metrics


if __name__ == "__main__":
    model = Dynamics(64, 512, nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    train(model, optimizer, video_batches(16))
