import jax
import optax
from flax import nnx
from flax.training.train_state import TrainState

tx = optax.adam(1e-3)


def in_the_loop(params, batches, gradient):
    for batch in batches:
        opt_state = tx.init(params)  # ! optimizer-reinitialised
        updates, opt_state = tx.update(gradient(params, batch), opt_state, params)
        params = optax.apply_updates(params, updates)
    return params


@jax.jit
def in_the_step(params, grads):
    state = tx.init(params)  # ! optimizer-reinitialised
    updates, _ = tx.update(grads, state, params)
    return optax.apply_updates(params, updates)


def before_the_loop(params, batches, gradient):
    opt_state = tx.init(params)
    for batch in batches:
        updates, opt_state = tx.update(gradient(params, batch), opt_state, params)
        params = optax.apply_updates(params, updates)
    return params


def each_run(seeds, make, batches, gradient):
    for seed in seeds:
        params = make(seed)
        opt_state = tx.init(params)
        for batch in batches:
            updates, opt_state = tx.update(gradient(params, batch), opt_state, params)
            params = optax.apply_updates(params, updates)


@jax.jit
def whole_training_in_one_program(params, grads):
    def one(carry, grad):
        params, state = carry
        updates, state = tx.update(grad, state, params)
        return (optax.apply_updates(params, updates), state), None

    state = tx.init(params)
    (params, state), _ = jax.lax.scan(one, (params, state), grads)
    return params


def only_once(params, batches, gradient):
    opt_state = None
    for batch in batches:
        if opt_state is None:
            opt_state = tx.init(params)
        updates, opt_state = tx.update(gradient(params, batch), opt_state, params)


@jax.jit
def unrolled(params, grads):
    state = tx.init(params)
    for grad in grads:
        updates, state = tx.update(grad, state, params)
        params = optax.apply_updates(params, updates)
    return params


@jax.jit
def at_once(params, grads):
    updates, _ = tx.update(grads, tx.init(params), params)  # ! optimizer-reinitialised
    return optax.apply_updates(params, updates)


@jax.jit
def of_a_state(state: TrainState, grads):
    updates, _ = state.tx.update(grads, state.tx.init(state.params), state.params)  # ! optimizer-reinitialised
    return state.replace(params=optax.apply_updates(state.params, updates))


descent = optax.chain(optax.clip(1.0), optax.sgd(0.1))


@jax.jit
def plain_descent(params, grads):
    updates, _ = descent.update(grads, descent.init(params), params)
    return optax.apply_updates(params, updates)


def outside_of_a_step(params, grads):
    updates, _ = tx.update(grads, tx.init(params), params)
    return optax.apply_updates(params, updates)


@jax.jit
def train_step(params, opt_state, batch):
    updates, opt_state = tx.update(jax.grad(lambda p: (p * batch).sum())(params), opt_state, params)
    return optax.apply_updates(params, updates), opt_state


def at_each_batch(params, batches):
    for batch in batches:
        opt_state = tx.init(params)  # ! optimizer-reinitialised
        params, opt_state = train_step(params, opt_state, batch)
    return params


class Trainer:
    def fit(self, batches):
        for batch in batches:
            self.opt_state = tx.init(self.params)  # ! optimizer-reinitialised
            self.params, self.opt_state = train_step(self.params, self.opt_state, batch)

    def fit_well(self, batches):
        self.opt_state = tx.init(self.params)
        for batch in batches:
            self.params, self.opt_state = train_step(self.params, self.opt_state, batch)


def given_at_each_batch(params, batches):
    for batch in batches:
        params, _ = train_step(params, tx.init(params), batch)  # ! optimizer-reinitialised
    return params


def each_task(params, tasks):
    for task in tasks:
        opt_state = tx.init(params)
        params, opt_state = train_step(params, opt_state, task)
    return params


def from_the_same_start(params, batches):
    found = []
    for batch in batches:
        opt_state = tx.init(params)
        tuned, opt_state = train_step(params, opt_state, batch)
        found.append(tuned)
    return found


def each_epoch(params, epochs, batches):
    for epoch in range(epochs):
        opt_state = tx.init(params)
        for batch in batches:
            params, opt_state = train_step(params, opt_state, batch)
    return params


def after_a_change(params, batches, grow):
    for batch in batches:
        params = grow(params)
        opt_state = tx.init(params)
        params, opt_state = train_step(params, opt_state, batch)
    return params


def now_and_then(params, opt_state, batches):
    for number, batch in enumerate(batches):
        if number % 100 == 0:
            opt_state = tx.init(params)
        params, opt_state = train_step(params, opt_state, batch)
    return params


def fresh(optimizer, params):
    return optimizer.init(params)


def from_a_helper(params, batches):
    for batch in batches:
        state = fresh(tx, params)  # ! optimizer-reinitialised
        params, state = train_step(params, state, batch)
    return params


def from_a_helper_before_the_loop(params, batches):
    state = fresh(tx, params)
    for batch in batches:
        params, state = train_step(params, state, batch)
    return params


def fresh_descent(params):
    return descent.init(params)


def plain_descent_from_a_helper(params, batches):
    for batch in batches:
        state = fresh_descent(params)
        params, state = train_step(params, state, batch)
    return params


@jax.jit
def advance(params, memory, batch):
    deltas, memory = tx.update(jax.grad(lambda p: (p * batch).sum())(params), memory, params)
    return optax.apply_updates(params, deltas), memory


@jax.jit
def whole_epoch(params, memory, batches):
    for batch in batches:
        deltas, memory = tx.update(jax.grad(lambda p: (p * batch).sum())(params), memory, params)
        params = optax.apply_updates(params, deltas)
    return params, memory


def by_any_name(params, batches):
    for batch in batches:
        memory = tx.init(params)  # ! optimizer-reinitialised
        params, memory = advance(params, memory, batch)
    return params


def each_whole_epoch(params, epochs, batches):
    for _ in range(epochs):
        memory = tx.init(params)
        params, memory = whole_epoch(params, memory, batches)
    return params


class Learner:
    def memory(self):
        return tx.init(self.params)

    def fit(self, batches):
        for batch in batches:
            self.opt_state = self.memory()  # ! optimizer-reinitialised
            self.params, self.opt_state = advance(self.params, self.opt_state, batch)

    def fit_from(self, makers):
        for make in makers:
            self.params = make()
            memory = tx.init(self.params)
            self.params, memory = advance(self.params, memory, 1.0)


class Keeper:
    def __init__(self, params):
        self.state = tx.init(params)

    def kept(self):
        return self.state

    def fit(self, params, batches):
        for batch in batches:
            state = self.kept()
            params, state = advance(params, state, batch)
        return params


@nnx.jit
def change(model, optimizer: nnx.Optimizer, batch):
    optimizer.update(model, nnx.grad(lambda m: m(batch).sum())(model))


def make_optimizer(model):
    return nnx.Optimizer(model, tx, wrt=nnx.Param)


def optimizer_at_each_batch(model, batches):
    for batch in batches:
        optimizer = make_optimizer(model)  # ! optimizer-reinitialised
        change(model, optimizer, batch)


def optimizer_before_the_loop(model, batches):
    optimizer = make_optimizer(model)
    for batch in batches:
        change(model, optimizer, batch)


def optimizer_of_each_model(makers, batch):
    for make in makers:
        model = make()
        optimizer = nnx.Optimizer(model, tx, wrt=nnx.Param)
        change(model, optimizer, batch)


def optimizer_of_each_epoch(model, epochs, batches):
    for _ in range(epochs):
        optimizer = nnx.Optimizer(model, tx, wrt=nnx.Param)
        for batch in batches:
            change(model, optimizer, batch)
