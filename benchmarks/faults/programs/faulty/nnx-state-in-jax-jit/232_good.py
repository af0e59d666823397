"""Regression with an nnx module and an nnx optimizer."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


class MLP(nnx.Module):
    def __init__(self, din, width, dout, rngs):
        self.l1 = nnx.Linear(din, width, rngs=rngs)
        self.l2 = nnx.Linear(width, dout, rngs=rngs)

    def __call__(self, x):
        return self.l2(nnx.relu(self.l1(x)))


def mse(model, x, y):
    return jnp.mean((model(x)[:, 0] - y) ** 2)


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(mse)(model, x, y)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def eval_step(model, x, y):
    return mse(model, x, y)


def batches(rng, x, y, size):
    order = rng.permutation(len(x))
    for i in range(0, len(x) - size + 1, size):
        idx = order[i:i + size]
        yield x[idx], y[idx]


def make_data(n=256, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4)).astype(np.float32)
    return x, np.sin(x[:, 0]) + 0.5 * x[:, 1]


def main(epochs=5):
    x, y = make_data()
    model = MLP(4, 32, 1, nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    rng = np.random.default_rng(1)
    for epoch in range(epochs):
        for xb, yb in batches(rng, x, y, 64):
            train_step(model, optimizer, xb, yb)
        print(epoch, round(float(eval_step(model, x, y)), 4))


if __name__ == "__main__":
    main()
