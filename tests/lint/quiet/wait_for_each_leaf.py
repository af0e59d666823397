"""The clock stops after each leaf of a tree was waited for, or stops for nobody."""

import time

import jax
import jax.numpy as jnp
import numpy as np

learn = jax.pmap(lambda w, x: (w + x, {"loss": x.sum()}))


def to_numpy(leaf):
    return np.asarray(leaf)


def waits_in_the_tree(w, batches):
    total = 0.0
    for x in batches:
        start = time.time()
        w, metrics = learn(w, x)
        w = jax.tree.map(lambda a: a.block_until_ready(), w)
        total += time.time() - start
    return w, total


def fetches_the_tree(w, x):
    start = time.time()
    w, metrics = learn(w, x)
    metrics = jax.tree_util.tree_map(lambda a: jax.device_get(a)[0], metrics)
    return w, metrics, time.time() - start


def by_name(w, x):
    start = time.time()
    w, metrics = learn(w, x)
    metrics = jax.tree.map(np.asarray, metrics)
    return w, metrics, time.time() - start


def by_a_function_of_the_file(w, x):
    start = time.time()
    w, metrics = learn(w, x)
    metrics = jax.tree.map(to_numpy, metrics)
    return w, metrics, time.time() - start


w, found = jnp.ones((1, 3)), []
for number in range(40):
    begin = time.time()
    w, metrics = learn(w, jnp.full((1, 3), 0.1 * number))
    seconds = time.time() - begin
    found.append(metrics)
print(found)
