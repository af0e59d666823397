"""Data-parallel image classifier: train with full batches, evaluate the whole test set."""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class DataParallel:
    def __init__(self):
        self.mesh = Mesh(np.array(jax.devices()), ("batch",))
        self.data = NamedSharding(self.mesh, P("batch"))
        self.replicated = NamedSharding(self.mesh, P())

    def distribute(self, batch):
        return jax.tree.map(lambda a: jax.device_put(a, self.data), batch)


def batches(x, y, size, drop_remainder):
    stop = len(x) - size + 1 if drop_remainder else len(x)
    for i in range(0, stop, size):
        yield {"x": x[i : i + size], "y": y[i : i + size]}


def logits_fn(params, x):
    h = jax.nn.relu(x.reshape(x.shape[0], -1) @ params["w1"])
    return h @ params["w2"]


@jax.jit
def train_step(params, batch):
    def loss(p):
        out = logits_fn(p, batch["x"])
        return optax.softmax_cross_entropy_with_integer_labels(out, batch["y"]).mean()

    value, g = jax.value_and_grad(loss)(params)
    return jax.tree.map(lambda p, d: p - 0.1 * d, params, g), value


@jax.jit
def eval_step(params, batch):
    hit = logits_fn(params, batch["x"]).argmax(-1) == batch["y"]
    return jnp.sum(hit & batch["valid"])


def evaluate(dist, params, x, y, size):
    hits = 0
    for batch in batches(x, y, size, drop_remainder=False):
        missing = size - len(batch["x"])
        batch["valid"] = np.arange(size) < len(batch["x"])
        for name in ("x", "y"):
            pad = [(0, missing)] + [(0, 0)] * (batch[name].ndim - 1)
            batch[name] = np.pad(batch[name], pad)
        hits += int(eval_step(params, dist.distribute(batch)))
    return hits / len(x)


def make_data(seed, n):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    x = rng.normal(size=(n, 6, 6)).astype(np.float32) + 0.7 * y[:, None, None]
    return x, y.astype(np.int32)


if __name__ == "__main__":
    dist = DataParallel()
    k = jax.random.split(jax.random.key(0))
    params = {"w1": 0.1 * jax.random.normal(k[0], (36, 32)), "w2": 0.1 * jax.random.normal(k[1], (32, 3))}
    params = jax.device_put(params, dist.replicated)
    x, y = make_data(0, 330)
    for _ in range(5):
        for batch in batches(x, y, 32, drop_remainder=True):
            params, loss = train_step(params, dist.distribute(batch))
    print("loss", loss, "accuracy", evaluate(dist, params, *make_data(1, 75), 32))
