"""Restores a checkpoint without saying what it should become.

A checkpoint has arrays and names, no classes: without a target every named tuple and dataclass
comes back as a dict, and the error comes where its first field is read.
"""

import tempfile

import jax.numpy as jnp
import optax
import orbax.checkpoint as ocp

params = {"w": jnp.ones(3)}
state = optax.adam(1e-3).init(params)
folder = tempfile.mkdtemp() + "/state"
with ocp.StandardCheckpointer() as checkpointer:
    checkpointer.save(folder, state)
    checkpointer.wait_until_finished()
    restored = checkpointer.restore(folder)
momentum = restored[0].mu  # ! orbax-restore-without-target
