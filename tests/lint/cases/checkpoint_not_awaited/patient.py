"""Who makes the objects waits for them, one itself and one on leaving the block."""

import orbax.checkpoint as ocp

from .patient_writing import write, write_all


def train(path, weights, trees):
    checkpointer = ocp.StandardCheckpointer()
    write(checkpointer, path, weights)
    checkpointer.wait_until_finished()
    with ocp.CheckpointManager(path) as manager:
        write_all(manager, trees)
