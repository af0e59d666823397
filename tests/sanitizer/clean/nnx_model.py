"""An nnx model with dropout and its optimizer, trained and evaluated."""

import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(8, 32, rngs=rngs)
        self.dropout = nnx.Dropout(0.1, rngs=rngs)
        self.last = nnx.Linear(32, 1, rngs=rngs)

    def __call__(self, x):
        return self.last(self.dropout(nnx.relu(self.first(x))))[..., 0]


@nnx.jit
def step(model, optimizer, x, y):
    def loss_fn(model):
        return jnp.mean((model(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def evaluate(model, x, y):
    return jnp.mean((model(x) - y) ** 2)


def main():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(32, 8)).astype(np.float32)
    y = x.sum(axis=1)
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    before = None
    for _ in range(8):
        loss = step(model, optimizer, x, y)
        #~ recompile/pytree-static: loss = step(model, nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param), x, y)
        if before is not None:
            float(before)
        before = loss
    model.eval()
    print(float(evaluate(model, x, y)))
    model.train()


if __name__ == "__main__":
    main()
