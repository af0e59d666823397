"""Iterable datasets of PyTorch in several workers."""

import itertools
import random

import jax.numpy as jnp
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info


class Lines(IterableDataset):
    def __init__(self, path):
        super().__init__()
        self.path = path

    def __iter__(self):
        with open(self.path) as file:
            for line in file:
                yield [float(word) for word in line.split()]


class Shuffled(Lines):
    def __iter__(self):
        lines = list(super().__iter__())
        random.shuffle(lines)
        yield from lines


class Split(Lines):
    def __iter__(self):
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        yield from itertools.islice(super().__iter__(), first, None, step)


class Endless(IterableDataset):
    def __iter__(self):
        while True:
            yield random.random()


class Items(Dataset):
    def __getitem__(self, index):
        return index

    def __len__(self):
        return 8


def train(path, step):
    data = Lines(path)
    for batch in DataLoader(data, batch_size=8, num_workers=4):  # ! dataset-repeated-by-workers
        step(jnp.asarray(batch))


def inner(path, step):
    class Cut(Lines):
        pass

    workers = 2
    loader = DataLoader(dataset=Cut(path), num_workers=workers)  # ! dataset-repeated-by-workers
    return [step(jnp.asarray(batch)) for batch in loader]


def shuffled(path, step):
    loader = DataLoader(Shuffled(path), 8, False, None, None, 2)  # ! dataset-repeated-by-workers
    return [step(jnp.asarray(batch)) for batch in loader]


def one_worker(path, step):
    return [step(jnp.asarray(b)) for b in DataLoader(Lines(path), batch_size=8, num_workers=1)]


def in_process(path, step):
    return [step(jnp.asarray(b)) for b in DataLoader(Lines(path), batch_size=8, num_workers=0)]


def split(path, step):
    return [step(jnp.asarray(b)) for b in DataLoader(Split(path), batch_size=8, num_workers=4)]


def drawn(step):
    return [step(jnp.asarray(b)) for b in DataLoader(Endless(), batch_size=8, num_workers=4)]


def by_index(step):
    return [step(jnp.asarray(b)) for b in DataLoader(Items(), batch_size=8, num_workers=4)]


def started(path, step, take_part):
    loader = DataLoader(Lines(path), num_workers=4, worker_init_fn=take_part)
    return [step(jnp.asarray(b)) for b in loader]


def given(data, step):
    return [step(jnp.asarray(b)) for b in DataLoader(data, batch_size=8, num_workers=4)]


def configured(path, step, config):
    """Shown with `--all`."""
    loader = DataLoader(Lines(path), batch_size=8, num_workers=config.workers)
    return [step(jnp.asarray(b)) for b in loader]
