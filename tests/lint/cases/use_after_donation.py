from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


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


@partial(jax.jit, donate_argnums=0)
def apply_step(state, grads):
    return state.apply_gradients(grads=grads)


@partial(jax.jit, donate_argnums=0)
def of_a_dict(state):
    return {"params": state["params"] - 1.0}


class OwnState(TrainState):
    ema: jax.Array


class CopyingState(TrainState):
    @classmethod
    def create(cls, *, params, **rest):
        return super().create(params=jax.tree.map(jnp.copy, params), **rest)


def held_by_a_state(x, grads):
    model = nn.Dense(3)
    params = model.init(jax.random.key(0), x)["params"]
    state = OwnState.create(apply_fn=model.apply, params=params, tx=optax.sgd(0.1), ema=None)
    state = apply_step(state, grads)
    return state, params  # ! use-after-donation


def for_each_rate(x, batches):
    variables = nn.Dense(3).init(jax.random.key(0), x)
    params = variables["params"]
    for rate in (0.1, 0.2):
        state = TrainState.create(
            apply_fn=None,
            params=params,  # ! use-after-donation
            tx=optax.sgd(rate),
        )
        for batch in batches:
            state = apply_step(state, batch)


def in_a_dict(params):
    new = of_a_dict({"params": params})
    return new, params  # ! use-after-donation


def anew_for_each_rate(x, batches):
    for rate in (0.1, 0.2):
        params = nn.Dense(3).init(jax.random.key(0), x)
        state = TrainState.create(apply_fn=None, params=params, tx=optax.sgd(rate))
        for batch in batches:
            state = apply_step(state, batch)


def read_before(x, grads):
    model, tx = nn.Dense(3), optax.sgd(0.1)
    params = model.init(jax.random.key(0), x)
    state = TrainState.create(apply_fn=model.apply, params=params, tx=tx)
    print(params)
    state = apply_step(state, grads)
    return state, model, tx, state.params


def put_elsewhere(x, grads, devices):
    params = nn.Dense(3).init(jax.random.key(0), x)
    state = TrainState.create(apply_fn=None, params=params, tx=optax.sgd(0.1))
    state = jax.device_put_replicated(state, devices)
    state = apply_step(state, grads)
    return state, params


def of_a_copy(x, grads):
    params = nn.Dense(3).init(jax.random.key(0), x)
    state = TrainState.create(
        apply_fn=None, params=jax.tree.map(jnp.copy, params), tx=optax.sgd(0.1)
    )
    other = CopyingState.create(apply_fn=None, params=params, tx=optax.sgd(0.1))
    state, other = apply_step(state, grads), apply_step(other, grads)
    return state, other, params


def of_numpy(load, grads):
    params = load("params.npz")
    state = TrainState.create(apply_fn=None, params=params, tx=optax.sgd(0.1))
    state = apply_step(state, grads)
    return state, params


def with_a_batch(params, batch):
    """Nothing says that the batch is given back."""
    new = of_a_dict({"params": params, "batch": batch})
    return new, batch


@partial(jax.jit, donate_argnums=0)
def renew(params, batch):
    return jax.tree.map(lambda p: p - batch.mean(), params)


def fit(params, batches):
    for batch in batches:
        params = renew(params, batch)
    return params


class Trainer:
    def __init__(self, params):
        self.params = params

    def fit(self, params, batches):
        for batch in batches:
            params = renew(params, batch)
        self.params = params
        return params

    def renew_own(self, batch):
        self.params = renew(self.params, batch)

    @staticmethod
    def once(params, batch):
        return renew(params, batch)


def copied(params, batch):
    params = jax.tree.map(jnp.copy, params)
    return renew(params, batch)


def maybe(params, batch, really):
    if really:
        return renew(params, batch)
    return params


def compare(batches):
    first = {"w": jnp.ones(3)}
    last = fit(first, batches)
    return last["w"] - first["w"]  # ! use-after-donation


def compare_copied(batches):
    first = {"w": jnp.ones(3)}
    last = copied(first, batches)
    return last["w"] - first["w"]


def compare_maybe(batches, really):
    first = {"w": jnp.ones(3)}
    last = maybe(first, batches, really)
    return last["w"] - first["w"]


def compare_renewed(batches):
    first = {"w": jnp.ones(3)}
    first = fit(first, batches)
    return first["w"]


def of_a_method(batches):
    first = {"w": jnp.ones(3)}
    trainer = Trainer(first)
    last = trainer.fit(first, batches)
    return last["w"] - first["w"]  # ! use-after-donation


def of_a_static(batches):
    first = {"w": jnp.ones(3)}
    last = Trainer.once(first, batches)
    return last["w"] - first["w"]  # ! use-after-donation


def of_a_keyword(batches):
    first = {"w": jnp.ones(3)}
    new_first = fit(batches=batches, params=first)
    return new_first["w"] - first["w"]  # ! use-after-donation


def of_shape(batches):
    first = {"w": jnp.ones(3)}
    last = fit(first, batches)
    return last["w"].reshape(first["w"].shape)


def outer(params, batches):
    return fit(params, batches)


def two_deep(batches):
    first = {"w": jnp.ones(3)}
    last = outer(first, batches)
    return last["w"] - first["w"]  # ! use-after-donation


class Renewing:
    def __init__(self):
        self.params = {"w": jnp.ones(3)}

    def train(self, batch):
        self.params = renew(self.params, batch)

    def change(self, batch):
        old = self.params
        self.train(batch)
        return old["w"] - self.params["w"]  # ! use-after-donation

    def change_of_copy(self, batch):
        old = jax.tree.map(jnp.copy, self.params)
        self.train(batch)
        return old["w"] - self.params["w"]

    def best(self, batches):
        best, kept = jnp.inf, self.params
        for batch in batches:
            self.train(batch)
            if batch.sum() < best:
                best, kept = batch.sum(), jax.tree.map(jnp.copy, self.params)
        return kept


def compare_a_field(batch):
    model = Renewing()
    first = model.params
    model.train(batch)
    return first["w"] - model.params["w"]  # ! use-after-donation


def compare_a_later_field(batch):
    model = Renewing()
    model.train(batch)
    first = model.params
    return first["w"] - model.params["w"]


class Steps:
    @staticmethod
    def with_a_default(batch, params, scale=1.0):
        return renew(params, batch * scale)

    def of_an_instance(self, params, batch, scale=1.0):
        return renew(params, batch * scale)


def static_with_a_default(batch):
    first = {"w": jnp.ones(3)}
    last = Steps.with_a_default(batch, first)
    print(batch.sum())
    return last["w"] - first["w"]  # ! use-after-donation


def by_the_class(batch):
    first, steps = {"w": jnp.ones(3)}, Steps()
    last = Steps.of_an_instance(steps, first, batch)
    print(batch.sum(), steps)
    return last["w"] - first["w"]  # ! use-after-donation
