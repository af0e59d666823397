import random

import jax
import numpy as np
import torch
from torch.utils.data import DataLoader


def start():
    return jax.random.key(0)


def batch(data):
    rows = np.random.randint(len(data), size=8)  # ! unseeded-draw
    flips = np.random.rand(8) < 0.5
    return data[rows], flips


def files(names):
    random.shuffle(names)  # ! unseeded-draw
    return names


def loaded(data):
    return DataLoader(data, batch_size=8, shuffle=True)  # ! unseeded-draw


def order(size):
    return torch.randperm(size)  # ! unseeded-draw


def made():
    return np.random.default_rng()  # ! unseeded-draw


def in_order(data):
    return DataLoader(data, batch_size=8, shuffle=False)


def of_a_generator(data, generator):
    return DataLoader(data, batch_size=8, shuffle=True, generator=generator)


def drawn(data, draws):
    return data[draws.integers(len(data), size=8)]


def fixed(size):
    return np.random.default_rng(0).permutation(size), random.Random(1).random()


def sampled(data, sampler):
    return DataLoader(data, batch_size=8, sampler=sampler)


@jax.jit
def noisy(x):
    return x + np.random.normal()
