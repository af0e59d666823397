import flax
import jax
from flax import jax_utils


def train(state, step_fn, batches, save):
    state = flax.jax_utils.replicate(state)
    for batch in batches:
        state, loss = step_fn(state, batch)
        if state.step > 0 and loss is not None:  # ! replicated-value-tested
            save(int(state.step))  # ! replicated-value-tested


def until(state, step_fn, batch):
    state = jax_utils.replicate(state)
    while state.step < 100:  # ! replicated-value-tested
        state = step_fn(state, batch)
    return state


def of_one_device(state, step_fn, batches):
    state = jax_utils.replicate(state)
    for batch in batches:
        state = step_fn(state, batch)
        if state.step[0] % 10 == 0:
            print(int(state.step[0]), jax.device_get(state.step))
    return jax_utils.unreplicate(state)


def before(state, batches):
    first = int(state.step)
    if state.step > 0:
        print("goes on")
    state = jax_utils.replicate(state)
    return state, first, batches


def unreplicated(state):
    state = jax_utils.replicate(state)
    state = jax_utils.unreplicate(state)
    return int(state.step)


def not_replicated(state, step_fn, batches):
    for batch in batches:
        state = step_fn(state, batch)
        if state.step % 10 == 0:
            print(int(state.step))
    return state


def is_there(state):
    state = jax_utils.replicate(state)
    if state.step is None:
        return None
    return state
