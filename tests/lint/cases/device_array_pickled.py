import pickle
import shelve
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Queue

import cloudpickle
import jax
import jax.numpy as jnp
import numpy as np


def arrays(path):
    with open(path, "wb") as file:
        pickle.dump({"step": 3, "w": jnp.ones(3)}, file)  # ! device-array-pickled


def fetched(path):
    with open(path, "wb") as file:
        pickle.dump(jax.device_get({"step": 3, "w": jnp.ones(3)}), file)


def by_name(path, params):
    with open(path, "wb") as file:
        cloudpickle.dump(params, file)  # ! device-array-pickled


def by_name_fetched(path, params):
    params = jax.tree.map(np.asarray, params)
    with open(path, "wb") as file:
        pickle.dump(params, file)


def fetched_elsewhere(path, params, to_host):
    params = to_host(params)
    with open(path, "wb") as file:
        pickle.dump(params, file)


def attribute(state, file):
    pickle.dump({"params": state.params, "step": 3}, file)  # ! device-array-pickled


def settings(file, config):
    pickle.dump(config, file)


def sent():
    queue = Queue()
    queue.put(jnp.ones(3))  # ! device-array-pickled


def sent_as_numpy():
    queue = Queue()
    queue.put(np.asarray(jnp.ones(3)))


def pooled(f):
    with ProcessPoolExecutor() as pool:
        return pool.submit(f, jnp.ones(3))  # ! device-array-pickled


def pooled_numbers(f):
    with ProcessPoolExecutor() as pool:
        return pool.submit(f, 3)


def shelved(path):
    with shelve.open(path) as shelf:
        shelf["w"] = jnp.ones(3)  # ! device-array-pickled


def dictionary(path):
    np.save(path, {"w": jnp.ones(3)})  # ! device-array-pickled


def single(path):
    np.save(path, jnp.ones(3))


def numpy_arrays(path):
    np.save(path, np.ones(3))


def round_trip():
    return pickle.loads(pickle.dumps(jnp.ones(3)))


def key():
    return pickle.dumps(jax.random.key(0))
