import os

from flax.training import checkpoints
from flax.training.checkpoints import latest_checkpoint, restore_checkpoint

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
