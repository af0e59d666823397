"""Paths for Orbax."""

import argparse
import os
import pathlib
from pathlib import Path

import orbax.checkpoint
import orbax.checkpoint as ocp
import pytest
from etils import epath
from flax.training import checkpoints
from orbax.checkpoint import CheckpointManager, StandardCheckpointer

FOLDER = "checkpoints"
ABSOLUTE = "/tmp/checkpoints"
RESOLVED = Path("checkpoints").resolve()
if os.environ.get("HOME"):
    CHOSEN = "here"
else:
    CHOSEN = "/there"


def literal(state, step):
    checkpointer = StandardCheckpointer()
    checkpointer.save("model", state)  # ! orbax-relative-path
    checkpointer.save("./model", state)  # ! orbax-relative-path
    checkpointer.save(f"runs/{step}", state)  # ! orbax-relative-path
    checkpointer.save("runs/" + str(step), state)  # ! orbax-relative-path
    checkpointer.save(directory=os.path.join("runs", str(step)), args=state)  # ! orbax-relative-path
    checkpointer.save(Path("runs") / str(step), state)  # ! orbax-relative-path
    checkpointer.save(pathlib.Path("runs", "a"), state)  # ! orbax-relative-path
    checkpointer.save(FOLDER, state)  # ! orbax-relative-path
    checkpointer.save(f"{FOLDER}/{step}", state)  # ! orbax-relative-path
    checkpointer.save(epath.Path(FOLDER) / "last", state)  # ! orbax-relative-path
    checkpointer.wait_until_finished()
    return checkpointer.restore("model", state)  # ! orbax-relative-path


def absolute(state, step, root):
    checkpointer = StandardCheckpointer()
    checkpointer.save("/tmp/model", state)
    checkpointer.save(f"/tmp/{step}", state)
    checkpointer.save(f"{root}/{step}", state)
    checkpointer.save("gs://bucket/model", state)
    checkpointer.save("C:/model", state)
    checkpointer.save(os.path.expanduser("~/model"), state)
    checkpointer.save(os.path.abspath("model"), state)
    checkpointer.save(os.path.join(os.getcwd(), "model"), state)
    checkpointer.save(Path("runs").resolve() / "a", state)
    checkpointer.save(Path.cwd() / "runs", state)
    checkpointer.save(Path(__file__).parent / "runs", state)
    checkpointer.save(ABSOLUTE, state)
    checkpointer.save(RESOLVED / "a", state)
    checkpointer.save(CHOSEN, state)
    checkpointer.save(os.environ["MODEL"], state)
    checkpointer.wait_until_finished()


def bound(state):
    path = "model"
    full = os.path.abspath(path)
    folder = os.path.join("runs", "a")
    ocp.PyTreeCheckpointer().save(path, state)  # ! orbax-relative-path
    ocp.PyTreeCheckpointer().save(full, state)
    ocp.Checkpointer(ocp.StandardCheckpointHandler()).save(folder, state)  # ! orbax-relative-path
    folder = os.path.abspath(folder)
    return ocp.PyTreeCheckpointer().restore(folder)


def managers(options):
    with ocp.CheckpointManager("runs", options=options) as manager:  # ! orbax-relative-path
        manager.save(0, args=None)
    with CheckpointManager(os.path.abspath("runs"), options=options) as manager:
        manager.save(0, args=None)
    return orbax.checkpoint.CheckpointManager(Path("runs").absolute())


def entered(state):
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save("model", state)  # ! orbax-relative-path


def of_flax(state):
    checkpoints.save_checkpoint("runs", state, 0)  # ! orbax-relative-path
    checkpoints.save_checkpoint(ckpt_dir=os.path.abspath("runs"), target=state, step=0)
    return checkpoints.restore_checkpoint(FOLDER, state)  # ! orbax-relative-path


def write(path, state):
    ocp.PyTreeCheckpointer().save(path, state)  # ! orbax-relative-path


def through_a_helper(state):
    write("last", state)


def write_anywhere(path, state):
    ocp.PyTreeCheckpointer().save(path, state)


def both(state):
    write_anywhere("/tmp/last", state)
    write_anywhere("/tmp/first", state)


def from_outside(state, settings):
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="runs")
    args = parser.parse_args()
    ocp.PyTreeCheckpointer().save(args.folder, state)  # ! orbax-relative-path
    ocp.PyTreeCheckpointer().save(settings["folder"], state)
    with pytest.raises(ValueError):
        ocp.PyTreeCheckpointer().save("model", state)


class Store:
    def save(self, path, state):
        self.last = path, state


def own_class(state):
    Store().save("model", state)
    open("model", "w").close()


def keep(state, folder, step):
    checkpoints.save_checkpoint(str(folder), state, step)  # ! orbax-relative-path


def with_a_default(state, folder=Path("runs")):
    checkpoints.save_checkpoint(folder / "last", state, 0)  # ! orbax-relative-path


def with_an_absolute_default(state, folder="/tmp/runs", other="runs"):
    checkpoints.save_checkpoint(folder, state, 0)
    return other


def made_absolute(state, folder="runs"):
    folder = os.path.abspath(folder)
    checkpoints.save_checkpoint(folder, state, 0)


def of_options(state):
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--out-dir", default="outputs")
    parser.add_argument("--log-dir", default="/tmp/logs")
    parser.add_argument("--old-dir", default="old")
    args = parser.parse_args()
    args.old_dir = os.path.abspath(args.old_dir)
    checkpoints.save_checkpoint(args.out_dir, state, 0)  # ! orbax-relative-path
    checkpoints.save_checkpoint(args.log_dir, state, 0)
    checkpoints.save_checkpoint(args.old_dir, state, 0)


def keep_there(state, folder, step):
    checkpoints.save_checkpoint(folder, state, step)


def loop(state):
    for step in range(3):
        keep(state, "runs/" + str(step), step)
        keep_there(state, os.path.abspath("runs"), step)
