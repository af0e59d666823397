import pickle

import equinox as eqx
import flax
import jax
import jax.numpy as jnp
import optax
from flax.training import checkpoints

optimizer = optax.adam(0.1)


@jax.jit
def step(w, state, key):
    key, noise = jax.random.split(key)
    updates, state = optimizer.update(w + jax.random.normal(noise, w.shape), state)
    return optax.apply_updates(w, updates), state, key


@jax.jit
def still(w, state):
    updates, state = optimizer.update(w, state)
    return optax.apply_updates(w, updates), state


def key_is_lost(path, steps):
    w = jnp.zeros(3)
    state = optimizer.init(w)
    w, state = checkpoints.restore_checkpoint(path, (w, state))
    key = jax.random.key(0)
    for i in range(steps):
        w, state, key = step(w, state, key)
        checkpoints.save_checkpoint(path, (w, state), i)  # ! incomplete-checkpoint


def key_of_each_device(path, steps):
    w = jnp.zeros(3)
    state = optimizer.init(w)
    w, state = checkpoints.restore_checkpoint(path, (w, state))
    key = flax.jax_utils.replicate(jax.random.PRNGKey(0))
    for i in range(steps):
        w, state, key = step(w, state, key)
        if i % 10 == 0:
            saved = {"w": w, "state": state}
            checkpoints.save_checkpoint(path, saved, i)  # ! incomplete-checkpoint


def all_is_kept(path, steps):
    w = jnp.zeros(3)
    state = optimizer.init(w)
    key = jax.random.key(0)
    w, state, key = checkpoints.restore_checkpoint(path, (w, state, key))
    for i in range(steps):
        w, state, key = step(w, state, key)
        saved = {"w": w, "state": state, "key": key}
        checkpoints.save_checkpoint(path, saved, i)


def write(path, tree):
    eqx.tree_serialise_leaves(path, tree)


def read(path, like):
    return eqx.tree_deserialise_leaves(path, like)


def optimizer_is_lost(path, steps):
    w = read(path, jnp.zeros(3))
    state = optimizer.init(w)
    for _ in range(steps):
        w, state = still(w, state)
        write(path, w)  # ! incomplete-checkpoint


def in_two_files(path, steps):
    w = read(path, jnp.zeros(3))
    state = read(path + ".state", optimizer.init(w))
    for _ in range(steps):
        w, state = still(w, state)
        write(path, w)
        write(path + ".state", state)


def key_of_the_step(path, steps):
    w = jnp.zeros(3)
    state = optimizer.init(w)
    w, state = checkpoints.restore_checkpoint(path, (w, state))
    key = jax.random.key(0)
    for i in range(steps):
        w, state, _ = step(w, state, jax.random.fold_in(key, i))
        checkpoints.save_checkpoint(path, (w, state), i)


def result_alone(path, steps):
    w = jnp.zeros(3)
    state = optimizer.init(w)
    for _ in range(steps):
        w, state = still(w, state)
    write(path, w)
    return w


def samples_of_each_step(path, steps):
    w = jnp.zeros(3)
    state, key = optimizer.init(w), jax.random.key(0)
    known = pickle.load(path)
    for _ in range(steps):
        w, state, key = step(w, state, key)
        pickle.dump(jax.device_get(w - known), path)


# Nothing here reads the checkpoint: a missing optimizer is a note, a missing key is not told.


def without_a_reader(path, steps):
    w = jnp.zeros(3)
    state = optimizer.init(w)
    for _ in range(steps):
        w, state = still(w, state)
        write(path, w)  # ! incomplete-checkpoint


def without_a_reader_or_a_key(path, steps):
    w = jnp.zeros(3)
    state, key = optimizer.init(w), jax.random.key(0)
    for _ in range(steps):
        w, state, key = step(w, state, key)
        write(path, (w, state))


# What a helper is given and does not write.


def write_model(path, model, state=None):
    eqx.tree_serialise_leaves(path, model)


def optimizer_is_ignored(path, steps):
    w = read(path, jnp.zeros(3))
    state = optimizer.init(w)
    for _ in range(steps):
        w, state = still(w, state)
        write_model(path, w, state)  # ! incomplete-checkpoint


def begin(width):
    w = jnp.zeros(width)
    state = optimizer.init(w)
    return w, state


def optimizer_of_a_helper(path, steps):
    w, state = begin(3)
    w = read(path, w)
    for _ in range(steps):
        w, state = still(w, state)
        write_model(path, w)  # ! incomplete-checkpoint


class Checkpoint:
    def __init__(self, path):
        self.path = path

    def save(self):
        pickle.dump(jax.device_get(self.__dict__), open(self.path, "wb"))


def load(path):
    return pickle.load(open(path, "rb"))


def object_of_parts(path, steps):
    w = load(path)["w"]
    state = optimizer.init(w)
    for _ in range(steps):
        w, state = still(w, state)
        file = Checkpoint(path)
        file.w = w
        file.state = state
        file.save()


def object_of_one_part(path, steps):
    w = load(path)["w"]
    state = optimizer.init(w)
    for _ in range(steps):
        w, state = still(w, state)
        file = Checkpoint(path)
        file.w = w
        file.save()  # ! incomplete-checkpoint


# A state that leaves its key out.


class KeyLost(flax.struct.PyTreeNode):
    rng: jax.Array
    step: int
    params: dict
    use_ema: bool = False

    def save(self):
        return {"params": self.params, "step": self.step}  # ! incomplete-checkpoint

    def load(self, data):
        return self.replace(**data)


class KeyKept(flax.struct.PyTreeNode):
    rng: jax.Array
    params: dict
    use_ema: bool = False

    def save(self):
        return {"params": self.params, "rng": self.rng}

    def load(self, data):
        return self.replace(**data)
