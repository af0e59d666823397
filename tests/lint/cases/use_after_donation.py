from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, donate_argnums=(0,))
def step(state, batch):
    return state + batch


def rebinds(state, batches):
    for batch in batches:
        state = step(state, batch)
    return state


def reads_the_old_one(state, batch):
    new = step(state, batch)
    return new, state  # ! use-after-donation


def donates_again(state, batches):
    losses = []
    for batch in batches:
        losses.append(step(state, batch))  # ! use-after-donation
    return losses


def metadata(state, batch):
    new = step(state, batch)
    print(state.shape, state.dtype, state.is_deleted(), state is None)
    return new


def keeps_the_best(state, batches):
    best = state
    for batch in batches:
        state = step(state, batch)
        if jnp.sum(state) > 3:
            best = state
    return best  # ! use-after-donation


def keeps_a_copy_of_the_best(state, batches):
    best = jnp.copy(state)
    for batch in batches:
        state = step(state, batch)
        if jnp.sum(state) > 3:
            best = jnp.array(state)
    return best


def in_one_branch(state, batch, train):
    if train:
        state = step(state, batch)
    else:
        state = state * 2
    return state


def returns_early(state, batch, train):
    if train:
        return step(state, batch)
    return state


def deleted(state, batch):
    new = step(state, batch)
    del state
    state = new
    return state


@jax.jit
def traced(state, batch):
    new = step(state, batch)
    return new, state


class Trainer:
    def __init__(self, params):
        self.params = params
        self.step = jax.jit(lambda p, b: p + b, donate_argnums=0)

    def good(self, batch):
        self.params = self.step(self.params, batch)
        return self.params

    def reset(self, batch):
        self.step(self.params, batch)
        self.refresh()
        return self.params

    def refresh(self):
        self.params = jnp.ones(3)


def part_of_state(state, batch):
    update = jax.jit(lambda p, b: p, donate_argnums=0)
    new = update(state.params, batch)
    state = state.replace(params=new)
    return state.params


def old_part_of_state(state, batch):
    update = jax.jit(lambda p, b: p, donate_argnums=0)
    new = update(state.params, batch)
    return new, state.params  # ! use-after-donation


class Engine:
    @partial(jax.jit, static_argnums=(0,), donate_argnums=(2,))
    def generate(self, params, cache, key):
        return cache + params

    def good(self, params, cache, key):
        cache = self.generate(params, cache, key)
        return cache, params, key

    def bad(self, params, cache, key):
        return self.generate(params, cache, key) + cache  # ! use-after-donation


@partial(jax.jit, donate_argnums=(0, 1))
def train_step(state, batch):
    grads = jnp.sum(state * batch["x"])
    new_state = state - grads
    return new_state, {"loss": jnp.mean(batch["x"])}


def the_batch_is_not_taken(state, batch):
    """No result has its shape: JAX warns, and leaves it."""
    state, metrics = train_step(state, batch)
    return state, metrics, batch["x"]


@partial(jax.jit, donate_argnums=1)
def evaluate(state, batch):
    return jnp.mean(state * batch["x"])


def nor_by_an_evaluation(state, batch):
    loss = evaluate(state, batch)
    return loss, batch["x"]


@partial(jax.jit, donate_argnums=0)
def optimizer_step(opt_state, tx, grads):
    updates, new_opt_state = tx.update(grads, opt_state)
    return updates, new_opt_state


def by_an_update(opt_state, tx, grads):
    updates, renewed = optimizer_step(opt_state, tx, grads)
    return updates, renewed, opt_state  # ! use-after-donation


def unknown_but_renewed(make, state, batch):
    step = jax.jit(make(), donate_argnums=0)
    new_state = step(state, batch)
    return new_state, state  # ! use-after-donation


def unknown(make, state, batch):
    step = jax.jit(make(), donate_argnums=0)
    loss = step(state, batch)
    return loss, state


def beside_none(data):
    advance = jax.jit(lambda data, state: (data * 2, state), donate_argnums=(0, 1))
    later, _ = advance(data, None)
    return later, data  # ! use-after-donation


def by_position(data, state):
    advance = jax.pmap(lambda data, state: (data * 2, state), donate_argnums=(0, 1))
    data, new_state = advance(data, state)
    return data, new_state, state  # ! use-after-donation
