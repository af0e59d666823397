import os
import shutil

import orbax.checkpoint as ocp
from flax.training import checkpoints
from flax.training.checkpoints import latest_checkpoint, restore_checkpoint
from project import download_run, load_checkpoint, train_model

FOLDER = "/runs/first"


def here(state, config):
    return restore_checkpoint(config.folder, state)  # ! restore-finds-nothing


def evaluate(model, state):
    state = checkpoints.restore_checkpoint(FOLDER, target=state, prefix="best_")  # ! restore-finds-nothing
    return model(state.params)


def load(state, folder, step=None):
    return checkpoints.restore_checkpoint(folder, state, step=step)  # ! restore-finds-nothing


class Agent:
    def restore(self, folder):
        self.state = load(self.state, folder)


def load_for_training(state, folder):
    return checkpoints.restore_checkpoint(folder, state)


def train(state, folder):
    state = load_for_training(state, folder)
    return range(int(state.step), 100)


def helper_without_callers(state, folder):
    return checkpoints.restore_checkpoint(folder, state)


def looks(state, config):
    if latest_checkpoint(config.folder) is None:
        raise FileNotFoundError(config.folder)
    return restore_checkpoint(config.folder, state)


def looks_at_the_folder(state):
    if os.path.exists(FOLDER):
        state = restore_checkpoint(FOLDER, state)
    return state


def of_a_step(state, config):
    return restore_checkpoint(config.folder, state, step=config.number)


def as_it_is(config):
    return restore_checkpoint(config.folder, None)


def erased_first(model, step):
    shutil.rmtree("./runs/second")  # ! restore-finds-nothing
    return load_checkpoint(model, f"runs/second/{step}")


def erased_under_a_name(manager, step):
    base = "checkpoints"
    ocp.test_utils.erase_and_create_empty(base)  # ! restore-finds-nothing
    return manager.restore(os.path.join(base, str(step)))


def erased_for_a_new_run(model, resume):
    if not resume:
        shutil.rmtree("runs/third")
    return load_checkpoint(model, "runs/third/last")


def erased_and_written(model, data):
    shutil.rmtree("runs/fourth")
    model = train_model(model, data, "runs/fourth")
    return load_checkpoint(model, "runs/fourth/best")


def erased_and_fetched(model):
    shutil.rmtree("runs/fifth")
    download_run("fifth")
    return load_checkpoint(model, "runs/fifth/best")


def another_folder(model):
    shutil.rmtree("runs/sixth/images")
    shutil.rmtree("/runs/sixth")
    return load_checkpoint(model, "runs/sixth/best")
