import os
from pathlib import Path

import jax
import orbax.checkpoint as ocp


def of_a_default(state, path: str = "./checkpoints"):
    saver = ocp.PyTreeCheckpointer()
    saver.save(Path(path).absolute(), state)  # ! orbax-existing-dir


def finish(state):
    saver = ocp.PyTreeCheckpointer()
    saver.save(os.path.abspath(os.path.join("runs", "final")), state)  # ! orbax-existing-dir
    of_a_default(state)


def given(state, path="runs"):
    ocp.PyTreeCheckpointer().save(os.path.abspath(path), state)


def caller(state, name):
    given(state, name)


def with_a_step(step, state):
    ocp.PyTreeCheckpointer().save(os.path.abspath(f"runs/{step}"), state)


def attempted(state):
    try:
        ocp.PyTreeCheckpointer().save("/runs/last", state)
    except ValueError:
        return jax.tree.leaves(state)
