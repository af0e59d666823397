import pickle
import shelve
from typing import NamedTuple
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Queue

import cloudpickle
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx


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


class State(NamedTuple):
    step: jax.Array
    w: jax.Array


class Table(NamedTuple):
    rows: np.ndarray
    name: str


class Agent:
    def __init__(self, key, hyper):
        self.params = hyper
        self.w = jax.random.normal(key, (3,))
        self.opt_state = None


def create():
    return State(jnp.zeros(()), jnp.ones(3))


def own_state(file):
    state = create()
    pickle.dump(state, file)  # ! device-array-pickled
    pickle.dump(jax.device_get(state), file)
    pickle.dump(jax.tree.map(np.asarray, state), file)


def own_table(file):
    pickle.dump(Table(np.ones(3), "ones"), file)


def own_agent(file, key, hyper):
    agent = Agent(key, hyper)
    pickle.dump(agent.w, file)  # ! device-array-pickled
    pickle.dump(agent.params, file)
    pickle.dump({"memory": agent.opt_state}, file)  # ! device-array-pickled
    pickle.dump({"memory": jax.device_get(agent.opt_state)}, file)


def put_back(file, key, to_host):
    agent = Agent(key, {})
    agent.opt_state = to_host(agent.opt_state)
    pickle.dump(agent.opt_state, file)


def nnx_state(file, model):
    pickle.dump(nnx.to_pure_dict(nnx.state(model)), file)  # ! device-array-pickled
    pickle.dump(jax.device_get(nnx.to_pure_dict(nnx.state(model))), file)


def told_to_pickle(path, state):
    np.save(path, state.params, allow_pickle=True)  # ! device-array-pickled
    np.save(path, state.rows, allow_pickle=True)
    np.save(path, state.params)
