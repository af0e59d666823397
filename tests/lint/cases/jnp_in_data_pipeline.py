"""What loaders call for each example, and what they do not."""

import grain.python as pygrain
import jax
import jax.numpy as jnp
import numpy as np
import webdataset as wds
from grain import transforms
from torch.utils import data
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return jnp.asarray(self.images[index]) / 255  # ! jnp-in-data-pipeline


class Noisy(Images):
    def __getitem__(self, index):
        noise = jax.random.normal(jax.random.key(index), (4,))  # ! jnp-in-data-pipeline
        return self.images[index] + noise


class Helped(data.Dataset):
    def __getitem__(self, index):
        return self.cropped(np.load(f"{index}.npy"))

    def cropped(self, image):
        return jnp.pad(image, 2)  # ! jnp-in-data-pipeline


class Lines(data.IterableDataset):
    def __iter__(self):
        for line in open("lines"):
            yield jnp.array([ord(letter) for letter in line])  # ! jnp-in-data-pipeline


class Scale(pygrain.MapTransform):
    def map(self, example):
        return jax.device_put(example)  # ! jnp-in-data-pipeline


class Flip(transforms.RandomMap):
    def random_map(self, example, rng):
        return jnp.flip(example) if rng.random() < 0.5 else example  # ! jnp-in-data-pipeline


class HostImages(Dataset):
    def __init__(self, images):
        self.images = jnp.asarray(images)
        self.mean = jnp.mean(self.images)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return np.asarray(self.images[index], dtype=jnp.float32)


class HostScale(pygrain.MapTransform):
    def map(self, example):
        return np.asarray(example) / 255

    def describe(self):
        return jnp.zeros(3)


class Table:
    def __getitem__(self, index):
        return jnp.asarray(index)


class Layers(list):
    def __getitem__(self, index):
        return jnp.asarray(super().__getitem__(index))


class Whole:
    def __iter__(self):
        yield jnp.zeros(3)


class Compiled(Dataset):
    def __getitem__(self, index):
        return halved(np.load(f"{index}.npy"))


@jax.jit
def halved(x):
    return jnp.asarray(x) / 2


def shared(x):
    return jnp.asarray(x)


class Shares(Dataset):
    def __getitem__(self, index):
        return shared(index)


def also_for_the_batch(loader):
    return [shared(batch) for batch in loader]


def collate(rows):
    return jnp.asarray(np.stack(rows))


def make(images):
    return DataLoader(HostImages(images), collate_fn=collate)


class Images:
    """No loader's class, and what a loader asks for examples."""

    def __init__(self, raw):
        self.raw = raw

    def __len__(self):
        return len(self.raw)

    def __getitem__(self, i):
        return jnp.asarray(self.raw[i]) / 255  # ! jnp-in-data-pipeline


class OnTheDevice:
    """Rows of what is on the device already."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return jnp.exp(self.rows[i])


class WithoutLength:
    def __getitem__(self, i):
        return jnp.asarray(i) / 255


class OfAnotherBase(Unknown):
    def __len__(self):
        return 3

    def __getitem__(self, i):
        return jnp.asarray(i) / 255


def build(shards):
    """WebDataset calls what `map` is given for each sample."""

    def decoded(sample):
        return jnp.array(sample["tokens.npy"])  # ! jnp-in-data-pipeline

    def shown(sample):
        return jnp.array(sample["tokens.npy"])

    data = wds.DataPipeline(wds.SimpleShardList(shards), wds.map(decoded))
    print(shown(next(iter(data))))
    return data
