import functools

import flax.training.checkpoints
import jax
import orbax.checkpoint as ocp
from flax.training import checkpoints
from jax.experimental import multihost_utils


def saved_by_the_first(path, state):
    if jax.process_index() == 0:
        ocp.StandardCheckpointer().save(path, state)  # ! collective-on-one-process


def the_others_return(path, state):
    if jax.process_index() != 0:
        return
    checkpoints.save_checkpoint(path, state, 1)  # ! collective-on-one-process


def with_another_test(path, state, steps):
    is_main = jax.process_index() == 0
    manager = ocp.CheckpointManager(path)
    for i in range(steps):
        if is_main and i % 100 == 0:
            manager.save(i, args=ocp.args.StandardSave(state))  # ! collective-on-one-process


def in_a_helper(path, state):
    flax.training.checkpoints.save_checkpoint(path, state, 1)


def asks_first(path, state):
    if not jax.process_index() > 0:
        in_a_helper(path, state)  # ! collective-on-one-process


class Trainer:
    def __init__(self, path):
        self.main = jax.process_index() == 0
        self.saver = ocp.StandardCheckpointer()
        self.path = path

    def save(self, state):
        if self.main:
            self.saver.save(self.path, state)  # ! collective-on-one-process
            print("saved")


def gathered(loss):
    if jax.process_index() == 0:
        print(multihost_utils.process_allgather(loss))  # ! collective-on-one-process


def all_save(path, state):
    ocp.StandardCheckpointer().save(path, state)
    if jax.process_index() == 0:
        print("saved")


def both_sides_wait(path):
    if jax.process_index() == 0:
        path.mkdir()
        multihost_utils.sync_global_devices("made")
    else:
        multihost_utils.sync_global_devices("made")


def fewer_processes_save(path, state):
    options = ocp.CheckpointManagerOptions(
        multiprocessing_options=ocp.options.MultiprocessingOptions(primary_host=0)
    )
    manager = ocp.CheckpointManager(path, options=options)
    if jax.process_index() == 0:
        manager.save(1, args=ocp.args.StandardSave(state))


def another_test_of_what_differs(path, data, state, best):
    mine = data[jax.process_index() :: jax.process_count()]
    loss = mine.sum()
    if loss < best:
        checkpoints.save_checkpoint(path, state, 1)


def number_of_processes(path, state):
    if jax.process_count() > 1:
        checkpoints.save_checkpoint_multiprocess(path, state, 1)


def chosen_by_it(path, state):
    name = "first" if jax.process_index() == 0 else "others"
    if name:
        checkpoints.save_checkpoint(path / name, state, 1)


@functools.partial(jax.pmap, axis_name="devices")
def mean_of_devices(x):
    return jax.lax.pmean(x, "devices")


@functools.partial(jax.pmap, axis_name="devices", devices=jax.local_devices())
def mean_of_own_devices(x):
    return jax.lax.pmean(x, "devices")


@jax.pmap
def doubled(x):
    return 2 * x


def mapped_by_the_first(x):
    is_first = jax.process_index() == 0
    if is_first:
        print(doubled(x), mean_of_own_devices(x))
        print(mean_of_devices(x))  # ! collective-on-one-process
