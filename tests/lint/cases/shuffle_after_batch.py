import random

import grain
import jax
import tensorflow as tf


def one_chain(x):
    return tf.data.Dataset.from_tensor_slices(x).batch(32).shuffle(100)  # ! shuffle-after-batch


def over_statements(x, size, split):
    dataset = tf.data.Dataset.from_tensor_slices(x)
    dataset = dataset.map(lambda x: x / 2)
    dataset = dataset.batch(size)
    if split == "train":
        dataset = dataset.shuffle(buffer_size=1000, seed=0)  # ! shuffle-after-batch
    return dataset.repeat()


def of_a_caller(dataset, size):
    dataset = dataset.batch(size, drop_remainder=True).map(jax.numpy.asarray).prefetch(2)
    return dataset.shuffle(1000)  # ! shuffle-after-batch


def of_grain(source):
    return grain.MapDataset.source(source).batch(8).shuffle(seed=1)  # ! shuffle-after-batch


def before(x, size):
    return tf.data.Dataset.from_tensor_slices(x).shuffle(1000).batch(size)


def both(x, size):
    return tf.data.Dataset.from_tensor_slices(x).shuffle(1000).batch(size).shuffle(10)


def of_sequences(text, length, size):
    sequences = text.batch(length + 1, drop_remainder=True)
    dataset = sequences.map(lambda x: (x[:-1], x[1:]))
    return dataset.shuffle(10000).batch(size, drop_remainder=True)


def taken_apart(x, size):
    return tf.data.Dataset.from_tensor_slices(x).batch(size).map(len).unbatch().shuffle(100)


def one_by_one(x):
    return tf.data.Dataset.from_tensor_slices(x).batch(1).shuffle(100)


def in_another_branch(dataset, size, train):
    if train:
        dataset = dataset.shuffle(100)
    else:
        dataset = dataset.batch(size)
    return dataset


def of_a_list(agent, rows):
    rows = agent.batch(rows)
    random.shuffle(rows)
    return rows
