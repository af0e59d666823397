import os
import shutil

import flax
import orbax.checkpoint as ocp


def made_before(folder, state):
    os.makedirs(folder, exist_ok=True)
    saver = ocp.StandardCheckpointer()
    saver.save(folder, state)  # ! orbax-existing-dir
    saver.wait_until_finished()


def of_a_path(runs, step, state):
    folder = runs / str(step)
    folder.mkdir(parents=True)
    with ocp.Checkpointer(ocp.PyTreeCheckpointHandler()) as saver:
        saver.save(folder, state)  # ! orbax-existing-dir


def parent(folder, step, state):
    os.makedirs(folder, exist_ok=True)
    saver = ocp.PyTreeCheckpointer()
    saver.save(folder / str(step), state)


def replaced(folder, state):
    os.makedirs(folder, exist_ok=True)
    saver = ocp.PyTreeCheckpointer()
    saver.save(folder, state, force=True)


def emptied(folder, state):
    os.makedirs(folder, exist_ok=True)
    shutil.rmtree(folder)
    ocp.PyTreeCheckpointer().save(folder, state)


def renamed(folder, step, state):
    os.makedirs(folder, exist_ok=True)
    folder = os.path.join(folder, str(step))
    ocp.PyTreeCheckpointer().save(folder, state)


def managed(folder, step, state):
    os.makedirs(folder, exist_ok=True)
    ocp.CheckpointManager(folder).save(step, args=ocp.args.StandardSave(state))


def other(saver, folder, state):
    os.makedirs(folder, exist_ok=True)
    saver.save(folder, flax.serialization.to_bytes(state))
