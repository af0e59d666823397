import hashlib
import os
import random
import secrets
import time
import uuid
import zlib
from time import time_ns

import jax
import jax.random as jr
from jax import random as jrandom


def large():
    return jax.random.key(2**40)  # ! seed-overflow


def largest():
    return jax.random.PRNGKey(2**32 - 1), jax.random.key(1 << 31), jax.random.key(-1)


def by_name():
    seed = 1 << 35
    return jr.PRNGKey(seed)  # ! seed-overflow


def too_large():
    return jax.random.key(2**64)  # ! seed-overflow


def rank_and_seed(rank, seed):
    return jax.random.key((rank << 32) | seed)  # ! seed-overflow


def rank_and_seed_below(rank, seed):
    return jax.random.key((rank << 16) | seed)


def product(rank, seed):
    return jax.random.key(seed + rank * 2**32)  # ! seed-overflow


def small_product(rank, seed):
    return jax.random.key(seed + rank * 2**16), jax.random.key(seed * 1000003 + rank)


def unique():
    return jrandom.PRNGKey(uuid.uuid4().int)  # ! seed-overflow


def unique_part():
    return jrandom.PRNGKey(uuid.uuid4().int % 2**32), jrandom.key(uuid.uuid4().int & 0xFFFFFFFF)


def from_clock():
    return jax.random.key(time.time_ns()), jax.random.key(int(time.time()))


def folds_clock(key):
    return jax.random.fold_in(key, time.time_ns())  # ! seed-overflow


def folds_clock_by_name(key):
    now = int(time_ns())
    return jax.random.fold_in(key, now)  # ! seed-overflow


def folds_seconds(key):
    return jax.random.fold_in(key, int(time.time()))


def folds_clock_shortened(key):
    return jax.random.fold_in(key, time.time_ns() % 2**32), jr.fold_in(key, time_ns() >> 34)


def folds_text(key):
    return jr.fold_in(key, hash("encoder"))  # ! seed-overflow


def folds_text_with_name(key, name):
    return jr.fold_in(key, hash(f"layer{name}"))  # ! seed-overflow


def folds_something(key, name):
    return jr.fold_in(key, hash(name))


def folds_checksum(key, name):
    return jr.fold_in(key, zlib.crc32(name.encode())), jr.fold_in(key, hash(name) % 2**31)


def folds_pair(key, a, b):
    return jr.fold_in(key, hash((a, b)))  # ! seed-overflow


def folds_digest(key, name):
    number = int(hashlib.sha256(name.encode()).hexdigest(), 16)
    return jr.fold_in(key, number)  # ! seed-overflow


def folds_part_of_digest(key, name):
    number = int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)
    return jr.fold_in(key, number)


def folds_bits(key):
    return jr.fold_in(key, random.getrandbits(64))  # ! seed-overflow


def folds_few_bits(key):
    return jr.fold_in(key, random.getrandbits(31)), jr.fold_in(key, secrets.randbits(32))


def folds_negative(key):
    return jax.random.fold_in(key, -1)  # ! seed-overflow


def folds_largest(key, step):
    return jax.random.fold_in(key, 2**32 - 1), jax.random.fold_in(key, step)


def expected(key):
    try:
        return jax.random.fold_in(key, -1)
    except OverflowError:
        return key


def of_the_system():
    return jax.random.key(int.from_bytes(os.urandom(4), "big"))


def of_numpy(np):
    return np.random.RandomState(2**31), random.Random(2**40)


def width_that_changes(rank):
    wide = 8
    for _ in range(3):
        wide += 8
    return jax.random.key(rank << wide)


def given_width(rank, wide):
    return jax.random.key(rank << wide), jax.random.key(rank << 8)
