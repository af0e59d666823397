"""CNN on augmented images; augmentation runs in spawned worker processes."""
import argparse
import multiprocessing as mp
import os

import jax
import jax.numpy as jnp
import numpy as np
import optax

parser = argparse.ArgumentParser()
parser.add_argument("--num_workers", default=2, type=int)
parser.add_argument("--batch_size", default=32, type=int)
args, _ = parser.parse_known_args()


def init_params(key, classes=4):
    k1, k2 = jax.random.split(key)
    return {"conv": 0.1 * jax.random.normal(k1, (8, 1, 3, 3)),
            "head": 0.1 * jax.random.normal(k2, (8, classes))}


params = init_params(jax.random.PRNGKey(0))
tx = optax.adam(1e-2)
opt_state = tx.init(params)
print(f"pid {'main' if __name__ == '__main__' else 'worker'}: model ready on {jax.devices()[0].platform}")


def augment(item):
    image, label, seed = item
    rng = np.random.default_rng(seed)
    image = np.roll(image, rng.integers(-2, 3, 2), axis=(1, 2))
    return image + 0.1 * rng.normal(size=image.shape).astype(np.float32), label


@jax.jit
def train_step(params, opt_state, x, y):
    def loss_fn(p):
        h = jax.nn.relu(jax.lax.conv(x, p["conv"], (2, 2), "SAME")).mean((2, 3))
        return optax.softmax_cross_entropy_with_integer_labels(h @ p["head"], y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def batches(pool, n, batch_size):
    rng = np.random.default_rng(0)
    for step in range(n):
        labels = rng.integers(0, 4, batch_size)
        items = [(np.full((1, 10, 10), l, np.float32), l, step * batch_size + i)
                 for i, l in enumerate(labels)]
        xs, ys = zip(*pool.map(augment, items))
        yield np.stack(xs).astype(np.float32), np.asarray(ys, np.int32)


if __name__ == "__main__":
    with mp.get_context("spawn").Pool(args.num_workers) as pool:
        for x, y in batches(pool, 5, args.batch_size):
            params, opt_state, loss = train_step(params, opt_state, x, y)
    print("loss", float(loss))
