import orbax.checkpoint as ocp

from .writing import read, write, write_attribute


class Trainer:
    def __init__(self, weights):
        self.weights = weights
        self.saver = ocp.StandardCheckpointer()


def train(path, weights):
    checkpointer = ocp.StandardCheckpointer()
    write(checkpointer, path, weights)
    write_attribute(Trainer(weights), path)


def load(path):
    return read(ocp.StandardCheckpointer(), path)
