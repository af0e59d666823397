import itertools
from itertools import cycle

import jax
import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds
from data import train_batches
from torch.utils.data import DataLoader


def of_torch(data):
    loader = DataLoader(data, batch_size=32, shuffle=True)
    return itertools.cycle(loader)  # ! cycled-loader


def of_a_caller(train_loader):
    batches = iter(train_loader)
    batches = itertools.cycle(batches)  # ! cycled-loader
    return jax.device_put(next(batches))


def of_tensorflow(x):
    data = tf.data.Dataset.from_tensor_slices(x).shuffle(100).batch(8)
    return cycle(data.as_numpy_iterator())  # ! cycled-loader


def of_names(x):
    return cycle(tfds.as_numpy(tfds.load("mnist", split="train")))  # ! cycled-loader


def make_batches(x, rng):
    for row in rng.permutation(len(x)):
        yield x[row]


def of_a_generator(x):
    return cycle(make_batches(x, np.random.default_rng(0)))  # ! cycled-loader


def colours():
    return itertools.cycle(["red", "blue"]), cycle("abc")


def of_a_list(loader):
    loader = list(loader)
    return cycle(loader)


def of_something(x):
    return cycle(x), cycle(range(4)), cycle(x.names)


def seeds():
    yield 1
    yield 2


def of_another_generator():
    return cycle(seeds())


def own(cycle, loader):
    return cycle(loader)


def asked_again(loader):
    while True:
        yield from loader


def of_an_imported_function(x):
    return cycle(train_batches(x))  # ! cycled-loader


def small_batches(x):
    return [x[:2], x[2:]]


def of_lists(x):
    return cycle(small_batches(x))
