"""Throughput measurement of an nnx classifier: one wait per reporting window."""
import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


class ResBlock(nnx.Module):
    def __init__(self, dim, rngs):
        self.fc1 = nnx.Linear(dim, dim, rngs=rngs)
        self.fc2 = nnx.Linear(dim, dim, rngs=rngs)

    def __call__(self, x):
        return x + self.fc2(nnx.relu(self.fc1(x)))


class Classifier(nnx.Module):
    def __init__(self, din, dim, classes, rngs):
        self.stem = nnx.Linear(din, dim, rngs=rngs)
        self.block = ResBlock(dim, rngs)
        self.head = nnx.Linear(dim, classes, rngs=rngs)

    def __call__(self, x):
        return self.head(self.block(self.stem(x)))


@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def run(args):
    rng = np.random.default_rng(0)
    model = Classifier(32, 64, 10, nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    x = rng.normal(size=(args.batch_size, 32)).astype(np.float32)
    y = rng.integers(0, 10, args.batch_size).astype(np.int32)
    for _ in range(args.warmup):
        loss = train_step(model, optimizer, x, y)
    jax.block_until_ready(loss)
    window, tic = [], time.perf_counter()
    for step in range(1, args.steps + 1):
        window.append(train_step(model, optimizer, x, y))
        if step % args.report_every == 0:
            mean_loss = float(jnp.mean(jnp.stack(window)))
            rate = len(window) * args.batch_size / (time.perf_counter() - tic)
            print(f"step {step} loss {mean_loss:.3f} {rate:.0f} examples/s")
            window, tic = [], time.perf_counter()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--report_every", type=int, default=20)
    run(parser.parse_args())
