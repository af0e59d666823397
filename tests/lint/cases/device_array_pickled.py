import pickle
import shelve
from typing import NamedTuple
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import Pipe, Pool, Queue, get_context
from multiprocessing.pool import ThreadPool

import cloudpickle
import dill
import equinox as eqx
import flax
import flax.linen as nn
import jax
import jax.numpy as jnp
import joblib
import numpy as np
import optax
import ray
import torch
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

    def start(self, tx):
        self.opt_state = tx.init(self.w)


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
    agent.start(optax.adam(0.1))
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


class Trainer:
    """Parameters that are written out, and then what the step gives back."""

    def __init__(self, key):
        self.weights = [(jax.random.normal(key, (3, 3)), jnp.zeros(3)), (jnp.ones(3), jnp.ones(3))]
        self.scales = [1.0, 2.0]
        self.tx = optax.sgd(0.1)
        self.memory = self.tx.init(self.weights)

    def update(self, grads):
        updates, self.memory = self.tx.update(grads, self.memory)
        self.weights = optax.apply_updates(self.weights, updates)
        self.scales = [2 * scale for scale in self.scales]


def updated_attribute(file, key, grads):
    trainer = Trainer(key)
    trainer.update(grads)
    pickle.dump(trainer.weights, file)  # ! device-array-pickled
    pickle.dump(jax.device_get(trainer.weights), file)
    pickle.dump(trainer.scales, file)


def updated_in_a_loop(file, grads):
    weights = {"w": jnp.ones(3), "b": {"c": jnp.zeros(())}}
    for _ in range(3):
        weights = optax.apply_updates(weights, grads)
    pickle.dump(weights, file)  # ! device-array-pickled


def of_numpy_or_device(file, updates, fresh):
    weights = {"w": np.ones(3)}
    if fresh:
        weights = optax.apply_updates(weights, updates)
    pickle.dump(weights, file)


class Net(eqx.Module):
    first: eqx.nn.Linear
    width: int = eqx.field(static=True)

    def __init__(self, width, key):
        self.first = eqx.nn.Linear(width, width, key=key)
        self.width = width


class Sizes(eqx.Module):
    width: int
    name: str


@eqx.filter_jit
def better(net: Net, updates):
    return eqx.apply_updates(net, updates)


def parts_of_a_module(file, key):
    net = Net(3, key)
    pickle.dump(jax.device_get(net), file)
    pickle.dump(net.width, file)
    pickle.dump(Sizes(3, "small"), file)


def module_leaves(file, key, updates):
    net = better(Net(3, key), updates)
    leaves = jax.tree.leaves(eqx.filter(net, eqx.is_inexact_array))
    pickle.dump(leaves, file)  # ! device-array-pickled
    pickle.dump(jax.device_get(leaves), file)
    pickle.dump([np.asarray(leaf) for leaf in leaves], file)
    pickle.dump(jax.tree.leaves(eqx.filter(jax.device_get(net), eqx.is_array)), file)


def leaves_of_settings(file, settings):
    pickle.dump(jax.tree.leaves(settings), file)


def flattened(file, key):
    leaves, shape = jax.tree.flatten({"w": jax.random.normal(key, (3,))})
    pickle.dump(leaves, file)  # ! device-array-pickled
    pickle.dump(shape, file)


def unreplicated(file, replicas):
    one = flax.jax_utils.unreplicate(replicas)
    pickle.dump(one, file)  # ! device-array-pickled
    pickle.dump(jax.device_get(one), file)
    pickle.dump(flax.jax_utils.unreplicate(jax.device_get(replicas)), file)


def state_dict(file, agent):
    pickle.dump(dict(agent=flax.serialization.to_state_dict(agent)), file)  # ! device-array-pickled
    pickle.dump(flax.serialization.to_state_dict(jax.device_get(agent)), file)
    pickle.dump(jax.device_get(flax.serialization.to_state_dict(agent)), file)


def state_dict_fetched(file, agent, to_host):
    pickle.dump(flax.serialization.to_state_dict(to_host(agent)), file)


def write(state: State, file):
    """Who calls it has fetched the arrays."""
    pickle.dump(state, file)


def fetch_and_write(file):
    write(jax.device_get(create()), file)


def key_and_weights(file):
    key = jax.random.PRNGKey(0)
    pickle.dump({"key": key, "w": jax.random.normal(key, (3,))}, file)  # ! device-array-pickled


def dilled(file):
    dill.dump(jnp.ones(3), file)  # ! device-array-pickled
    return dill.dumps({"w": jnp.ones(3)})  # ! device-array-pickled


def dilled_fetched(file):
    dill.dump(jax.device_get(jnp.ones(3)), file)


def joblib_file(path):
    joblib.dump({"w": jnp.ones(3)}, path)  # ! device-array-pickled
    joblib.dump(value=jnp.ones(3), filename=path)  # ! device-array-pickled


def joblib_numpy(path):
    joblib.dump({"w": np.asarray(jnp.ones(3))}, path)


def torch_file(path, params):
    torch.save({"params": params, "step": 3}, path)  # ! device-array-pickled
    torch.save(obj=jnp.ones(3), f=path)  # ! device-array-pickled


def torch_tensors(path, model, params):
    torch.save(model.state_dict(), path)
    torch.save(jax.device_get(params), path)


def through_a_pipe():
    ours, theirs = Pipe()
    ours.send(jnp.ones(3))  # ! device-array-pickled
    get_context("spawn").Pipe()[1].send({"w": jnp.ones(3)})  # ! device-array-pickled


def through_a_pipe_as_numpy():
    ours, theirs = Pipe()
    ours.send(jax.device_get(jnp.ones(3)))
    ours.send("done")


def queues_of_a_context():
    context = get_context("spawn")
    context.Queue().put(jnp.ones(3))  # ! device-array-pickled
    context.SimpleQueue().put(jnp.ones(3))  # ! device-array-pickled
    context.JoinableQueue().put_nowait(jnp.ones(3))  # ! device-array-pickled


def queue_of_a_context_as_numpy():
    queue = get_context("spawn").Queue()
    queue.put(np.ones(3))
    queue.put(3)


def put_in_the_store(params):
    ray.put(jnp.ones(3))  # ! device-array-pickled
    return ray.put(params)  # ! device-array-pickled


def put_in_the_store_fetched(params):
    return ray.put(jax.device_get(params))


def mapped(f, xs):
    with Pool(4) as pool:
        pool.map(f, [jnp.ones(3), jnp.ones(3)])  # ! device-array-pickled
        pool.imap(func=f, iterable=[jnp.asarray(x) for x in xs])  # ! device-array-pickled
        pool.starmap_async(f, [(jnp.ones(3), 1)])  # ! device-array-pickled
        pool.apply_async(f, args=(jnp.ones(3),))  # ! device-array-pickled
        pool.apply(f, (), {"x": jnp.ones(3)})  # ! device-array-pickled


def mapped_numpy(f, xs):
    with Pool(4) as pool:
        pool.map(f, [np.asarray(x) for x in xs], chunksize=len(xs))
        pool.imap(f, jax.device_get([jnp.ones(3)]))
        pool.apply_async(f, args=(3,), kwds={"name": "ones"})


def mapped_in_threads(f):
    """They share the memory."""
    ThreadPool().map(f, [jnp.ones(3)])


def by_keyword(f):
    with ProcessPoolExecutor() as pool:
        return pool.submit(f, x=jnp.ones(3))  # ! device-array-pickled


def number_by_keyword(f):
    with ProcessPoolExecutor() as pool:
        return pool.submit(f, x=3)


def flat(state):
    leaves, _ = jax.tree.flatten(state)
    return leaves


class Saver:
    def __init__(self):
        self.pool = ThreadPoolExecutor(1)
        self.dump = pickle.dumps

    def submit(self, state):
        return self.pool.submit(self.dump, flat(state))  # ! device-array-pickled


def saved_in_a_thread():
    saver = Saver()
    weights = {"w": jnp.ones(3)}
    return saver.submit(weights), saver.submit(optax.adam(0.1).init(weights))


class HostSaver:
    def __init__(self):
        self.pool = ThreadPoolExecutor(1)

    def submit(self, state):
        return self.pool.submit(pickle.dumps, jax.device_get(flat(state)))


def saved_from_the_host():
    saver = HostSaver()
    return saver.submit(create()), saver.submit({"w": jnp.ones(3)})


# The variables of a linen module, whichever module it is.


class Narrow(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(x)


class Wide(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.tanh(nn.Dense(64)(x)))


def network(width):
    if width > 1:
        return Wide()
    return Narrow()


def first_weights(model, key):
    return model.init(key, jnp.zeros((1, 2)))


def saved_weights(path, config):
    variables = first_weights(network(config.width), jax.random.key(0))
    with open(path, "wb") as file:
        pickle.dump(variables, file)  # ! device-array-pickled
        pickle.dump(variables["params"], file)  # ! device-array-pickled
        pickle.dump(jax.device_get(variables), file)
        pickle.dump(jax.eval_shape(network(2).init, jax.random.key(0), jnp.zeros(2)), file)


def of_what_a_step_gave(path, state, batches, update, to_host):
    step = jax.pmap(update)
    for batch in batches:
        state = step(state, batch)
    with open(path, "wb") as file:
        pickle.dump(state.params, file)  # ! device-array-pickled
        pickle.dump(jax.device_get(state).params, file)


def saved_beside_others(path, key, x):
    state = State.create(Narrow(), key)
    for _ in range(4):
        state = stepped(state, x)
    with open(path, "wb") as file:
        pickle.dump({"params": state.params, "step": 4}, file)  # ! device-array-pickled
        pickle.dump({"model": {"params": state.params}}, file)  # ! device-array-pickled
        pickle.dump({"params": jax.tree.map(np.asarray, state.params)}, file)
        pickle.dump(jax.tree.map(lambda leaf: leaf.tolist(), state.params), file)
        pickle.dump({"params": flax.serialization.to_bytes(state.params)}, file)
        pickle.dump({"params": len(jax.tree.leaves(state.params))}, file)
        arrays = jax.device_get({"params": state.params})
        pickle.dump(arrays, file)
        half = jax.tree.map(lambda leaf: leaf * 0.5, state.params)
        pickle.dump({"params": jax.device_get(half)}, file)


@flax.struct.dataclass
class State:
    params: dict

    @classmethod
    def create(cls, model, key):
        return cls(model.init(key, jnp.zeros((1, 2)))["params"])


@jax.jit
def stepped(state, x):
    gradients = jax.grad(lambda p: jnp.sum(Narrow().apply({"params": p}, x)))(state.params)
    return state.replace(params=jax.tree.map(lambda p, g: p - g, state.params, gradients))


saved_beside_others("weights.pkl", jax.random.key(0), jnp.ones((1, 2)))


class Sent(NamedTuple):
    token: jax.Array
    length: int


@jax.jit
def prefill(prompt):
    return prompt.sum()


def serve(connection, seed):
    while (prompt := connection.recv()) is not None:
        connection.send(Sent(prefill(prompt), seed))  # ! device-array-pickled


def serve_fetched(connection, seed):
    while (prompt := connection.recv()) is not None:
        connection.send(Sent(np.asarray(prefill(prompt)), seed))


def act(queue, rollouts):
    for _ in range(rollouts):
        queue.put({"observation": jnp.asarray(np.zeros(3))})  # ! device-array-pickled


def act_on_host(queue, rollouts):
    for _ in range(rollouts):
        queue.put({"observation": np.zeros(3)})


def sine(x):
    return jnp.sin(x)


def sine_on_host(x):
    return np.asarray(jnp.sin(x))


def start_processes(numbers):
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    context.Process(target=serve, args=(theirs, 0)).start()
    context.Process(target=serve_fetched, args=(theirs, 0)).start()
    queue = context.Queue()
    for _ in range(3):
        context.Process(target=act, args=(queue, 10)).start()
        context.Process(target=act_on_host, args=(queue, 10)).start()
    with context.Pool(2) as pool:
        first = pool.map(sine, numbers)  # ! device-array-pickled
        second = pool.map(sine_on_host, numbers)
        third = pool.apply_async(sine, (1.0,))  # ! device-array-pickled
    with ProcessPoolExecutor(mp_context=context) as executor:
        fourth = executor.submit(sine, 3.0)  # ! device-array-pickled
        fifth = executor.submit(sine_on_host, 3.0)
    return ours, first, second, third, fourth, fifth


if __name__ == "__main__":
    start_processes([1.0, 2.0])
