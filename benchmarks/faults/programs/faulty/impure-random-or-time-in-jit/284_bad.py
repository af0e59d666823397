import time

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Generator:
    def __init__(self, seed=None):
        self.seed = int(time.time()) if seed is None else seed
        self.count = 0

    def __call__(self):
        self.count += 1
        return jax.random.fold_in(jax.random.key(self.seed), self.count)


DEFAULT_GENERATOR = Generator(0)


def uniform(shape, generator=DEFAULT_GENERATOR, **kw):
    return jax.random.uniform(generator(), shape, **kw)


class MixupClassifier(nnx.Module):
    def __init__(self, rngs):
        self.fc1 = nnx.Linear(10, 32, rngs=rngs)
        self.fc2 = nnx.Linear(32, 3, rngs=rngs)

    def __call__(self, x):
        return self.fc2(nnx.relu(self.fc1(x)))


def mixup(x, y):
    lam = uniform((x.shape[0], 1))
    return lam * x + (1 - lam) * x[::-1], lam * y + (1 - lam) * y[::-1], lam


@nnx.jit
def train_op(model, optimizer, x, y):
    def loss_fn(m):
        xm, ym, lam = mixup(x, y)
        return optax.softmax_cross_entropy(m(xm), ym).mean(), lam

    (loss, lam), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model)
    optimizer.update(model, grads)
    return loss, lam


def main():
    model = MixupClassifier(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    x = jax.random.normal(jax.random.key(1), (16, 10))
    y = jax.nn.one_hot(jnp.arange(16) % 3, 3)
    lams = [float(train_op(model, optimizer, x, y)[1][0, 0]) for _ in range(5)]
    print("mixing of example 0:", lams)


if __name__ == "__main__":
    main()
