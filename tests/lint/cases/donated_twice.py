import copy
from functools import partial
from typing import Any, NamedTuple

import flax
import jax
import jax.numpy as jnp
from flax.training import train_state
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

both = jax.jit(lambda p, q: (p, q), donate_argnums=(0, 1))
first = jax.jit(lambda p, q: p + q, donate_argnums=0)
second_by_name = jax.jit(lambda p, q: p + q, donate_argnames="q")
none = jax.jit(lambda p, q: p + q)


def same(x):
    return both(x, x)  # ! donated-twice


def donated_and_read(x):
    return first(x, x)  # ! donated-twice


def by_name(x):
    return second_by_name(x, q=x)  # ! donated-twice


def copied(x):
    return both(x, jnp.copy(x))


def not_donating(x):
    return none(x, x)


def numbers():
    size = 3
    return first(size, size)


def parts(state):
    return both(state.params, state.ema)


@jax.jit
def inside_a_trace(x):
    return both(x, x)


def average_is_the_parameters(params, loader):
    ema = params
    for batch in loader:
        params, ema = both(params, ema)  # ! donated-twice
        print(batch)


def target_is_the_network(agent, loader):
    target = agent.params
    for _ in loader:
        target = first(target, agent.params)  # ! donated-twice


def started_from_a_copy(params, loader):
    ema = jax.tree.map(jnp.copy, params)
    for _ in loader:
        params, ema = both(params, ema)


def replaced_before(params, grads):
    ema = params
    params = params - grads
    return both(params, ema)


def replaced_by_a_method(agent, loader):
    target = agent.params
    for batch in loader:
        agent.update(batch)
        target = first(target, agent.params)


def only_sometimes(params, other, resume):
    ema = other
    if resume:
        ema = params
    return both(params, ema)


def not_donating_either(params):
    ema = params
    return none(params, ema)


def read_by_another(params):
    old = params
    return none(old, both(params, jnp.copy(old)))


def not_in_the_first_turn(params, loader):
    best = params
    for number, batch in enumerate(loader):
        if number > 0:
            best = first(best, params)
        params = params + batch


class State(NamedTuple):
    params: Any
    average: Any


class TrainState(train_state.TrainState):
    target_params: Any


@partial(jax.jit, donate_argnums=0)
def step(state, batch):
    return state


def fresh(key):
    params = {"w": jax.random.normal(key, (3,)), "b": jnp.zeros(3)}
    average = params
    return State(params, average)


def fresh_with_a_copy(key):
    params = {"w": jax.random.normal(key, (3,)), "b": jnp.zeros(3)}
    average = jax.tree.map(jnp.copy, params)
    return State(params, average)


def fresh_with_zeros(key):
    params = {"w": jax.random.normal(key, (3,))}
    return State(params=params, average=jax.tree.map(jnp.zeros_like, params))


def place(tree, where):
    return jax.device_put(tree, where)


def made_of_one_tree(key, loader):
    state = fresh(key)
    for batch in loader:
        state = step(state, batch)  # ! donated-twice
    return state


def made_of_a_copy(key, loader):
    state, other = fresh_with_a_copy(key), fresh_with_zeros(key)
    for batch in loader:
        state = step(state, batch)
        other = step(other, batch)
    return state, other


def made_in_a_compiled_function(key, loader):
    """Its results have a buffer each."""
    params = {"w": jax.random.normal(key, (3,))}
    state = jax.jit(lambda params: State(params, params))(params)
    for batch in loader:
        state = step(state, batch)
    return state


def on_all_devices(key, mesh, loader):
    state = place(fresh(key), NamedSharding(mesh, P()))
    for batch in loader:
        state = step(state, batch)  # ! donated-twice
    return state


def split_over_devices(key, mesh, loader):
    """Each leaf is cut into pieces of its own."""
    state = place(fresh(key), NamedSharding(mesh, P("data")))
    for batch in loader:
        state = step(state, batch)
    return state


def on_replicas(key, loader):
    state = flax.jax_utils.replicate(fresh(key))
    for batch in loader:
        state = step(state, batch)
    return state


def with_a_target(model, tx, key, batch):
    params = model.init(key, batch)
    state = TrainState.create(apply_fn=model.apply, params=params, target_params=params, tx=tx)
    return step(state, batch)  # ! donated-twice


def with_a_copied_target(model, tx, key, batch):
    params = model.init(key, batch)
    target = copy.deepcopy(params)
    state = TrainState.create(apply_fn=model.apply, params=params, target_params=target, tx=tx)
    return step(state, batch)


def refreshed(model, tx, params, target, loader):
    state = TrainState.create(apply_fn=model.apply, params=params, target_params=target, tx=tx)
    for number, batch in enumerate(loader):
        state = step(state, batch)  # ! donated-twice
        if number % 100 == 0:
            state = state.replace(target_params=state.params)
    return state


def refreshed_with_a_copy(model, tx, params, target, loader):
    state = TrainState.create(apply_fn=model.apply, params=params, target_params=target, tx=tx)
    for number, batch in enumerate(loader):
        state = step(state, batch)
        if number % 100 == 0:
            state = state.replace(target_params=jax.tree.map(jnp.copy, state.params))
    return state


def swapped(model, tx, params, target, batch):
    state = TrainState.create(apply_fn=model.apply, params=params, target_params=target, tx=tx)
    state = state.replace(params=state.target_params, target_params=state.params)
    return step(state, batch)


def healed(key, batch):
    state = fresh(key)
    state = state._replace(average=jnp.zeros(3))
    return step(state, batch)


def two_settings(model, tx, size, batch):
    return step(State(size, size), batch)


@partial(jax.jit, donate_argnums=(0, 1))
def descend(params, momentum, batch):
    grads = jax.grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
    momentum = 0.9 * momentum + grads
    return params - 0.1 * momentum, momentum


def two_results_of_a_call(batches):
    params, momentum = jnp.ones(3), jnp.zeros(3)
    for batch in batches:
        params, momentum = descend(params, momentum, batch)
    return params


class Both(NamedTuple):
    count: jax.Array
    params: jax.Array
    skipped: jax.Array


def zeros_for_both(params):
    zero = jnp.zeros((), jnp.int32)
    return Both(zero, params, zero)


def made_compiled(size):
    make = jax.jit(zeros_for_both)
    return make(jnp.ones(size))


def step_for(rate):
    def step(state, batch):
        return Both(state.count + 1, state.params - rate * batch, state.skipped), batch

    return jax.jit(step, donate_argnums=0)


class MadeCompiled:
    """A compiled function gives each result a buffer of its own, also later."""

    def __init__(self, rate, steps=1):
        self.step, self.steps = step_for(rate), steps
        self.state = made_compiled(3)
        self.batch = jnp.ones(3)

    def __call__(self):
        for _ in range(self.steps - 1):
            self.state, _ = self.step(self.state, self.batch)
        self.state, last = self.step(self.state, self.batch)
        return last


def train_made_compiled(rates):
    runs = {rate: MadeCompiled(rate, 3) for rate in rates}
    for run in runs.values():
        run()


def made_by_a_helper(weights):
    scaled = jnp.sin(weights)
    return {"weights": weights, "start": scaled, "best": jnp.copy(weights)}


def of_a_helper():
    state = made_by_a_helper(jnp.zeros(3))
    return first(state, 1.0)


def shared_by_a_helper(weights):
    return {"weights": weights, "best": weights}


def of_a_helper_that_shares():
    state = shared_by_a_helper(jnp.zeros(3))
    return first(state, 1.0)  # ! donated-twice


class Sampler:
    def __init__(self, start):
        self.state = {"at": start, "best": start + 0, "score": jnp.sum(start)}

    def run(self):
        self.state, other = both(self.state, 1.0)
        return other


def sample():
    sampler = Sampler(jnp.ones(4))
    for _ in range(3):
        sampler.run()


def new_weights(key):
    return {"w": jax.random.normal(key, (3,)), "b": jnp.zeros(3)}


def a_map_that_changes_nothing(key, batch):
    params = new_weights(key)
    target = jax.tree.map(lambda leaf: leaf, params)
    state = State(params, target)
    return step(state, batch)  # ! donated-twice


def a_map_that_converts(key, batch):
    params = new_weights(key)
    state = State(params, jax.tree.map(jnp.asarray, params))
    return step(state, batch)  # ! donated-twice


def a_new_dict(key, batch):
    params = new_weights(key)
    state = State(params, dict(params))
    return step(state, batch)  # ! donated-twice


def a_spread_dict(key, batch):
    params = new_weights(key)
    state = State(params, {**params})
    return step(state, batch)  # ! donated-twice


def a_shallow_copy(key, batch):
    params = new_weights(key)
    state = State(params, copy.copy(params))
    return step(state, batch)  # ! donated-twice


def a_method_that_copies_the_dict(key, batch):
    params = new_weights(key)
    state = State(params, params.copy())
    return step(state, batch)  # ! donated-twice


def a_dict_with_new_entries(key, batch):
    params = new_weights(key)
    state = State(params, {**params, "w": jnp.ones(3), "b": jnp.ones(3)})
    return step(state, batch)


def a_map_that_copies(key, batch):
    params = new_weights(key)
    state = State(params, jax.tree.map(jnp.array, params))
    return step(state, batch)


def two_calls_of_one_function(key, batch):
    first_key, second_key = jax.random.split(key)
    state = State(new_weights(first_key), new_weights(second_key))
    return step(state, batch)


def new_moment():
    return jnp.zeros(3)


def two_moments(batch):
    first_moment = new_moment()
    second_moment = new_moment()
    state = State(first_moment, second_moment)
    return step(state, batch)


class Chain:
    """The copy of a parameter that is known is another array."""

    def __init__(self, beta):
        self.state = {"beta": beta, "reference": jnp.array(beta, copy=True)}

    def advance(self, batch):
        self.state = step(self.state, batch)


def run_chain(batches):
    chain = Chain(jnp.zeros(3))
    for batch in batches:
        chain.advance(batch)
