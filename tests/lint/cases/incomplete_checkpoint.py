import pickle

import equinox as eqx
import flax
import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from flax import nnx
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


# What begins again, where the loop goes on with the epoch that was saved.


def load_all(path, w, state):
    w, state, epoch = checkpoints.restore_checkpoint(path, (w, state, 0))
    return w, state, epoch


def counter_begins_again(path, epochs, batches, gated):
    w = jnp.zeros(3)
    w, state, start = load_all(path, w, optimizer.init(w))
    count = 0
    for epoch in range(start, epochs):
        for _ in batches:
            w, state = gated(w, state, count)
            count += 1
        checkpoints.save_checkpoint(path, (w, state, epoch), epoch)  # ! incomplete-checkpoint


def best_begins_again(path, epochs, evaluate):
    w = jnp.zeros(3)
    w, state, start = load_all(path, w, optimizer.init(w))
    best = float("inf")
    for epoch in range(start, epochs):
        w, state = still(w, state)
        loss = evaluate(w)
        if epoch > 2 and loss < best:
            best = loss
            checkpoints.save_checkpoint(path, (w, state, epoch), epoch)  # ! incomplete-checkpoint


def generator_begins_again(path, epochs, masked):
    w = jnp.zeros(3)
    w, state, start = load_all(path, w, optimizer.init(w))
    rng = np.random.default_rng(0)
    for epoch in range(start, epochs):
        (w, _), state = masked(w, state, rng.random(3))
        checkpoints.save_checkpoint(path, (w, state, epoch), epoch)  # ! incomplete-checkpoint


def counted_for_show(path, epochs, batches):
    w = jnp.zeros(3)
    w, state, start = load_all(path, w, optimizer.init(w))
    done, total = 0, 0.0
    for epoch in range(start, epochs):
        seen = 0
        for batch in batches:
            w, state = still(w + batch, state)
            done += 1
            seen += 1
            total += 1.0
            if seen % 10 == 0:
                print(seen)
        print(done)
        checkpoints.save_checkpoint(path, (w, state, epoch), epoch)


def counter_goes_on(path, epochs, batches, gated):
    w = jnp.zeros(3)
    w, state, start = load_all(path, w, optimizer.init(w))
    count = start * len(batches)
    best = float("inf") if start == 0 else start
    for epoch in range(start, epochs):
        for _ in batches:
            w, state = gated(w, state, count)
            count += 1
        if epoch < best:
            best = epoch
            checkpoints.save_checkpoint(path, (w, state, epoch), epoch)


def all_begins_again(path, epochs, batches, gated):
    w = checkpoints.restore_checkpoint(path, jnp.zeros(3))
    count = 0
    for epoch in range(epochs):
        for _ in batches:
            w = gated(w, count)
            count += 1
        checkpoints.save_checkpoint(path, w, epoch)


def optimizer_in_two_names(path, steps):
    init, update = optax.adam(0.1)
    w = read(path, jnp.zeros(3))
    state = init(w)
    for _ in range(steps):
        grads, state = update(w, state)
        w = optax.apply_updates(w, grads)
        write(path, w)  # ! incomplete-checkpoint


@nnx.jit
def train_in_place(model, optimizer, batch):
    optimizer.update(model, nnx.grad(lambda m: m(batch).sum())(model))


@nnx.jit
def train_both(optimizer, batch):
    optimizer.update(nnx.grad(lambda m: m(batch).sum())(optimizer.model))


def train_anew(model, optimizer, batch):
    updates, _ = optimizer.update(batch, optimizer.init(model))
    return optax.apply_updates(model, updates)


def write_state(path, tree):
    _, state = nnx.split(tree)
    with ocp.StandardCheckpointer() as saver:
        saver.save(path, state)


def optimizer_is_an_object(path, batches):
    model = nnx.Linear(3, 3, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
    for i, batch in enumerate(batches):
        train_in_place(model, optimizer, batch)
        write_state(path / str(i), model)  # ! incomplete-checkpoint


def optimizer_of_a_caller(path, model, optimizer, batches):
    for i, batch in enumerate(batches):
        train_in_place(model, optimizer, batch)
        write_state(path / str(i), model)  # ! incomplete-checkpoint


def not_changed_in_place(path, model, optimizer, batches):
    for i, batch in enumerate(batches):
        model = train_anew(model, optimizer, batch)
        write_state(path / str(i), model)


def model_of_the_optimizer(path, batches):
    optimizer = nnx.ModelAndOptimizer(nnx.Linear(3, 3, rngs=nnx.Rngs(0)), optax.adam(0.1))
    for i, batch in enumerate(batches):
        train_both(optimizer, batch)
        write_state(path / str(i), optimizer.model)  # ! incomplete-checkpoint


def both_objects_are_saved(path, batches):
    model = nnx.Linear(3, 3, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
    for i, batch in enumerate(batches):
        train_in_place(model, optimizer, batch)
        write_state(path / str(i), (model, optimizer))


def what_the_model_gives_is_no_checkpoint(path, batches):
    model = nnx.Linear(3, 3, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
    for i, batch in enumerate(batches):
        train_in_place(model, optimizer, batch)
        with open(path / str(i), "wb") as file:
            pickle.dump(model(batch), file)


kept = jnp.zeros(3)


def parameters_of_the_module(path, steps):
    global kept
    state = optimizer.init(kept)
    for _ in range(steps):
        kept, state = still(kept, state)
        eqx.tree_serialise_leaves(path, kept)  # ! incomplete-checkpoint


class Agent:
    def __init__(self, seed):
        self.w = jnp.zeros(3)
        self.state = optimizer.init(self.w)
        self.key = jax.random.PRNGKey(seed)
        self.steps = 0
        self.shown = 0

    def update(self):
        self.w, self.state, self.key = step(self.w, self.state, self.key)
        self.steps += 1
        self.shown += 1
        print(self.shown)
        return self.steps % 10 == 0

    def save(self, path):
        checkpoints.save_checkpoint(path, (self.w, self.state), 1)  # ! incomplete-checkpoint

    def load(self, path):
        self.w, self.state = checkpoints.restore_checkpoint(path, (self.w, self.state))


class AgentWithAll:
    def __init__(self, seed):
        self.w = jnp.zeros(3)
        self.state = optimizer.init(self.w)
        self.key = jax.random.PRNGKey(seed)

    def update(self):
        self.w, self.state, self.key = step(self.w, self.state, self.key)

    def save(self, path):
        checkpoints.save_checkpoint(path, (self.w, self.state, self.key), 1)

    def load(self, path):
        held = checkpoints.restore_checkpoint(path, (self.w, self.state, self.key))
        self.w, self.state, self.key = held


class Trainer:
    def __init__(self, model, path):
        self.model = model
        self.optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
        self.path = path

    def train(self, batch):
        train_in_place(self.model, self.optimizer, batch)

    def save(self):
        write_state(self.path, self.model)  # ! incomplete-checkpoint


class Predictor:
    def __init__(self, model, path):
        self.model = model
        self.key = jax.random.key(0)
        self.path = path

    def draw(self):
        self.key, key = jax.random.split(self.key)
        return jax.random.normal(key)

    def save(self):
        write_state(self.path, self.model)
