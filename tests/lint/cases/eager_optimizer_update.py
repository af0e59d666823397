import jax
import optax
from flax import nnx
from flax.training.train_state import TrainState

tx = optax.adam(1e-3)
gradient = jax.jit(jax.grad(lambda p, b: (p * b).sum()))


def train(params, state, batches):
    for batch in batches:
        grads = gradient(params, batch)
        updates, state = tx.update(grads, state, params)  # ! eager-optimizer-update
        params = optax.apply_updates(params, updates)
    return params


@jax.jit
def step(params, state, batch):
    updates, state = tx.update(gradient(params, batch), state, params)
    return optax.apply_updates(params, updates), state


def train_well(params, state, batches):
    for batch in batches:
        params, state = step(params, state, batch)
    return params


def helper(params, state, grads):
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state


def once(params, state, batch):
    return helper(params, state, gradient(params, batch))


def train_state(params, batches):
    state = TrainState.create(apply_fn=None, params=params, tx=tx)
    for batch in batches:
        state = state.apply_gradients(grads=gradient(state.params, batch))  # ! eager-optimizer-update
        print(state.step)
    return state


@jax.jit
def state_step(state: TrainState, batch):
    return state.apply_gradients(grads=jax.grad(lambda p: (p * batch).sum())(state.params))


def train_state_well(state: TrainState, batches):
    for batch in batches:
        state = state_step(state, batch)
        print(state.step)
    return state


def unknown_state(state, batches):
    for batch in batches:
        state = state.apply_gradients(grads=gradient(state.params, batch))
        print(state.step)
    return state


def train_nnx(model, batches):
    optimizer = nnx.Optimizer(model, tx, wrt=nnx.Param)
    for batch in batches:
        optimizer.update(model, gradient(model, batch))  # ! eager-optimizer-update
        nnx_step(model, optimizer, batch)


@nnx.jit
def nnx_step(model, optimizer: nnx.Optimizer, batch):
    optimizer.update(model, nnx.grad(lambda m: m(batch).sum())(model))
