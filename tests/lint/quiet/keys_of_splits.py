"""The same key for loaders of two splits, of which one draws."""

import jax


def load_split(split, rng):
    perm_rng, _ = jax.random.split(rng)
    if split == "train":
        return jax.random.permutation(perm_rng, 100)
    return range(100)


def datasets(rng):
    return load_split("train", rng), load_split("val", rng)


def by_keyword(loader, rng):
    train = loader.load_split(128, split="train", rng=rng)
    return train, loader.load_split(128, split="eval", rng=rng)
