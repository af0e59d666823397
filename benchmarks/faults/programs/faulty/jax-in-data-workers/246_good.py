"""Image classifier fed by a multi-process loader."""
import multiprocessing as mp

import jax
import jax.numpy as jnp
import numpy as np
import optax


class ImageDataset:
    def __init__(self, n, seed=0):
        rng = np.random.default_rng(seed)
        self.images = rng.integers(0, 255, (n, 12, 12, 3)).astype(np.uint8)
        self.labels = rng.integers(0, 4, n).astype(np.int32)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        image = self.images[i].astype(np.float32) / 255.0
        flipped = image if i % 2 == 0 else image[:, ::-1]
        return (flipped - 0.5) / 0.25, self.labels[i]


_dataset = None


def _init_worker(dataset):
    global _dataset
    _dataset = dataset


def _load(indices):
    samples = [_dataset[int(i)] for i in indices]
    images, labels = zip(*samples)
    return np.stack(images), np.array(labels)


class Loader:
    def __init__(self, dataset, batch_size, num_workers=1):
        self.dataset, self.batch_size = dataset, batch_size
        self.pool = mp.get_context("spawn").Pool(num_workers, _init_worker, (dataset,))

    def __iter__(self):
        order = np.random.default_rng(0).permutation(len(self.dataset))
        chunks = order.reshape(-1, self.batch_size)
        yield from self.pool.imap(_load, chunks)


tx = optax.sgd(1e-2)


@jax.jit
def train_step(params, opt_state, images, labels):
    def loss_fn(p):
        logits = images.reshape(len(labels), -1) @ p
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()
    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main():
    loader = Loader(ImageDataset(128), batch_size=32)
    params = jnp.zeros((12 * 12 * 3, 4))
    opt_state = tx.init(params)
    for images, labels in loader:
        params, opt_state, loss = train_step(params, opt_state, images, labels)
    loader.pool.terminate()
    print("loss", float(loss))


if __name__ == "__main__":
    main()
