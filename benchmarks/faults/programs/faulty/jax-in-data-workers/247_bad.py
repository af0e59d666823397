"""Tabular training with batches that worker processes put in a queue."""
import multiprocessing as mp

import jax
import jax.numpy as jnp
import numpy as np


def make_table(n=512, features=6, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, features)).astype(np.float32)
    return x, (x[:, 0] * x[:, 1] > 0).astype(np.float32)


def collate(rows):
    x, y = rows
    mean = jnp.mean(x, axis=0)
    scale = jnp.std(x, axis=0) + 1e-6
    return jnp.asarray((x - mean) / scale), jnp.asarray(y)


def worker_loop(table, index_queue, batch_queue):
    while True:
        indices = index_queue.get()
        if indices is None:
            batch_queue.put(None)
            return
        batch_queue.put(collate([column[indices] for column in table]))


class DataLoader:
    def __init__(self, table, batch_size, num_workers=1, seed=0):
        self.table, self.batch_size = table, batch_size
        self.rng = np.random.default_rng(seed)
        self.ctx = mp.get_context("spawn")
        self.num_workers = num_workers

    def __iter__(self):
        index_queue, batch_queue = self.ctx.Queue(), self.ctx.Queue()
        workers = [self.ctx.Process(target=worker_loop, daemon=True,
                                    args=(self.table, index_queue, batch_queue))
                   for _ in range(self.num_workers)]
        for w in workers:
            w.start()
        order = self.rng.permutation(len(self.table[0]))
        steps = len(order) // self.batch_size
        for chunk in order[:steps * self.batch_size].reshape(steps, -1):
            index_queue.put(chunk)
        for _ in range(steps):
            yield batch_queue.get()
        for _ in workers:
            index_queue.put(None)


@jax.jit
def sgd(params, x, y):
    def loss(p):
        h = jnp.tanh(x @ p["w1"]) @ p["w2"]
        return jnp.mean(jnp.logaddexp(0.0, h) - y * h)
    value, grads = jax.value_and_grad(loss)(params)
    return jax.tree.map(lambda p, g: p - 0.3 * g, params, grads), value


def main():
    rng = np.random.default_rng(1)
    params = {"w1": rng.normal(size=(6, 16)).astype(np.float32), "w2": np.zeros(16, np.float32)}
    for x, y in DataLoader(make_table(), batch_size=64):
        params, value = sgd(params, x, y)
    print("loss", float(value), type(x))


if __name__ == "__main__":
    main()
