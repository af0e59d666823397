"""The last batch of loaders and pipelines of data."""

import math

import grain
import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds
from datasets import load_dataset
from torch.utils import data
from torch.utils.data import DataLoader
from tqdm import tqdm


@jax.jit
def step(x, y):
    return jnp.sum(x) + jnp.sum(y)


class NumpyLoader(data.DataLoader):
    def __init__(self, dataset, batch_size=1, drop_last=False):
        super().__init__(dataset, batch_size=batch_size, drop_last=drop_last)


def torch_loader(examples):
    loader = DataLoader(examples, batch_size=32, shuffle=True)
    for x, y in loader:
        step(jnp.asarray(x.numpy()), y.numpy())  # ! partial-last-batch


def flattened(examples):
    for x, y in DataLoader(examples, batch_size=32):
        step(np.reshape(x, (len(x), -1)), y.reshape(-1))  # ! partial-last-batch


def torch_loader_whole(examples):
    loader = DataLoader(examples, 32, drop_last=True)
    for x, y in loader:
        step(jnp.asarray(x.numpy()), y.numpy())


def own_loader(examples, flag):
    for x, y in tqdm(NumpyLoader(examples, batch_size=128)):
        step(x, y)  # ! partial-last-batch
    for x, y in NumpyLoader(examples, batch_size=128, drop_last=flag):
        step(x, y)
    for x, y in NumpyLoader(examples):
        step(x, y)


def train(loader, epochs):
    for _ in range(epochs):
        for _number, batch in enumerate(loader):
            step(batch["x"], batch["y"])  # ! partial-last-batch


def main(examples):
    train(DataLoader(examples, batch_size=64), 10)


def collated(examples, collate):
    for batch in DataLoader(examples, batch_size=64, drop_last=False, collate_fn=collate):
        step(batch["x"], batch["y"])  # ! partial-last-batch


def sampled(examples, batches):
    for batch in DataLoader(examples, batch_sampler=batches):
        step(batch["x"], batch["y"])


def skipped(examples):
    for x, y in DataLoader(examples, batch_size=64):
        if len(x) < 64:
            continue
        step(x, y)


def pipeline():
    ds = tf.data.Dataset.from_tensor_slices(np.ones((100, 3)))
    ds = ds.shuffle(100).batch(32).prefetch(1)
    for batch in ds.as_numpy_iterator():
        step(batch, batch)  # ! partial-last-batch


def endless():
    ds = tf.data.Dataset.from_tensor_slices(np.ones((100, 3))).repeat().batch(32)
    for batch in tfds.as_numpy(ds):
        step(batch, batch)


def of_library():
    train, test = tfds.load("mnist", split=["train", "test"])
    for batch in tfds.as_numpy(train.batch(32)):
        step(batch["image"], batch["label"])  # ! partial-last-batch
    for batch in tfds.as_numpy(test.batch(32, drop_remainder=True)):
        step(batch["image"], batch["label"])
    for example in tfds.as_numpy(train):
        step(example["image"], example["label"])


def filled_by_map(fill):
    ds = tf.data.Dataset.from_tensor_slices(np.ones((100, 3))).batch(32).map(fill)
    for batch in tfds.as_numpy(ds):
        step(batch, batch)


def grains(examples):
    batches = grain.MapDataset.source(examples).shuffle(seed=1).batch(batch_size=8)
    for batch in batches:
        step(batch["x"], batch["y"])  # ! partial-last-batch


def hugging():
    texts = load_dataset("texts")["train"].with_format("numpy")
    for batch in texts.iter(batch_size=16):
        step(batch["x"], batch["y"])  # ! partial-last-batch
    for batch in texts.iter(batch_size=16, drop_last_batch=True):
        step(batch["x"], batch["y"])


def sums(examples):
    for x, y in DataLoader(examples, batch_size=64):
        step(x.mean(), y.sum())


def again_and_again(examples, steps):
    def forever():
        while True:
            yield from DataLoader(examples, batch_size=64)

    for number, (x, y) in zip(range(steps), forever(), strict=False):
        step(x.numpy(), y)  # ! partial-last-batch
        if number % 100 == 0:
            print(number)


class Trainer:
    def __init__(self, examples):
        self.loader = DataLoader(examples, batch_size=4)

    def fit(self):
        for x, y in self.loader:
            x, y = jax.device_put((np.array(x), np.array(y)))
            step(x, y)  # ! partial-last-batch


def rounded_up(rows, size):
    for i in range(-(-len(rows) // size)):
        yield rows[i * size : (i + 1) * size]


def by_ceil(rows, size):
    for i in range(math.ceil(len(rows) / size)):
        yield rows[i * size : (i + 1) * size]


def rounded_down(rows, size):
    for i in range(len(rows) // size):
        yield rows[i * size : (i + 1) * size]


def in_parts(rows, count):
    for part in np.array_split(rows, count):
        yield part


def in_equal_parts(rows, count):
    yield from np.split(rows, count)


def from_generators(rows: np.ndarray):
    for batch in rounded_up(rows, 8):
        step(batch, batch)  # ! partial-last-batch
    for batch in by_ceil(rows, 8):
        step(batch, batch)  # ! partial-last-batch
    for batch in in_parts(rows, 8):
        step(batch, batch)  # ! partial-last-batch


def from_whole(rows: np.ndarray):
    for batch in rounded_down(rows, 8):
        step(batch, batch)
    for batch in in_equal_parts(rows, 8):
        step(batch, batch)
