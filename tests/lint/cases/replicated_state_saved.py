import jax
from flax import jax_utils, serialization
from flax.jax_utils import replicate, unreplicate
from flax.training import checkpoints


def train(state, batches, p_step, folder):
    state = jax_utils.replicate(state)
    for step, batch in enumerate(batches):
        state, loss = p_step(state, batch)
        checkpoints.save_checkpoint(folder, state, step)  # ! replicated-state-saved
    return state


def fetched(state, batches, p_step, folder):
    state = replicate(state)
    for batch in batches:
        state = p_step(state, batch)
    checkpoints.save_checkpoint(folder, target=jax.device_get(state), step=1)  # ! replicated-state-saved


def save(state, folder, step):
    checkpoints.save_checkpoint(folder, state, step, overwrite=True)


def through_a_helper(state, batches, p_step, folder):
    state = replicate(state)
    for step, batch in enumerate(batches):
        state = p_step(state, batch)
        save(state, folder, step)  # ! replicated-state-saved


def as_bytes(params, path):
    params = jax_utils.replicate(params)
    path.write_bytes(serialization.to_bytes(params))  # ! replicated-state-saved


def unreplicated(state, batches, p_step, folder):
    state = replicate(state)
    for step, batch in enumerate(batches):
        state = p_step(state, batch)
        checkpoints.save_checkpoint(folder, unreplicate(state), step)
        checkpoints.save_checkpoint(folder, jax.tree.map(lambda x: x[0], state), step)


def before(state, folder):
    checkpoints.save_checkpoint(folder, state, 0)
    state = replicate(state)
    return state


def save_first(state, folder, step):
    state = jax.device_get(unreplicate(state))
    checkpoints.save_checkpoint(folder, state, step)


def helper_unreplicates(state, folder):
    state = replicate(state)
    save_first(state, folder, 1)


def changed(state, folder):
    state = replicate(state)
    state = unreplicate(state)
    checkpoints.save_checkpoint(folder, state, 1)


def both_ways(state, batches, p_step, folder):
    state = replicate(state)
    state = checkpoints.restore_checkpoint(folder, state)
    for step, batch in enumerate(batches):
        state = p_step(state, batch)
        checkpoints.save_checkpoint(folder, state, step)
    return int(state.step[0])


def another(state, other, folder):
    state = replicate(state)
    checkpoints.save_checkpoint(folder, other, 1)
    return state
