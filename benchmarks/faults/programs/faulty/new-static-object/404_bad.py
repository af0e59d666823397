"""Seed study: the same small CNN trained from several initialisations."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


class SmallCNN(nnx.Module):
    def __init__(self, channels, num_classes, *, rngs: nnx.Rngs):
        self.conv1 = nnx.Conv(1, channels, (3, 3), rngs=rngs)
        self.conv2 = nnx.Conv(channels, channels, (3, 3), strides=2, rngs=rngs)
        self.head = nnx.Linear(
            channels, num_classes, kernel_init=nnx.initializers.normal(0.01), rngs=rngs
        )
        self.act = partial(nnx.leaky_relu, negative_slope=0.1)

    def __call__(self, x):
        x = self.act(self.conv1(x))
        x = self.act(self.conv2(x))
        return self.head(x.mean(axis=(1, 2)))


def make_digits(n=64, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, n)
    x = rng.normal(size=(n, 12, 12, 1)).astype(np.float32)
    x += y[:, None, None, None] * 0.5
    return x, y.astype(np.int32)


@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        logits = model(x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


TX = optax.sgd(0.1, momentum=0.9)


def run_seed(seed, x, y, steps=3):
    model = SmallCNN(8, 4, rngs=nnx.Rngs(seed))
    optimizer = nnx.Optimizer(model, TX, wrt=nnx.Param)
    for _ in range(steps):
        loss = train_step(model, optimizer, x, y)
    return float(loss)


def main(seeds=(0, 1, 2, 3)):
    x, y = make_digits()
    finals = [run_seed(s, x, y) for s in seeds]
    print("mean", np.mean(finals), "std", np.std(finals))


if __name__ == "__main__":
    main()
