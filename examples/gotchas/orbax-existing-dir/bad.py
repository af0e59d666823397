"""Saves with Orbax to a directory that is there already.

A checkpointer writes each checkpoint once. A run that is started again, or saves "best" a second
time, ends here, after the steps were paid for.
"""

from pathlib import Path

import jax.numpy as jnp
import orbax.checkpoint as ocp

best = Path("checkpoints").absolute() / "best"
with ocp.StandardCheckpointer() as checkpointer:
    checkpointer.save(best, {"w": jnp.ones(3)})
    checkpointer.wait_until_finished()
    checkpointer.save(best, {"w": jnp.zeros(3)})  # ! orbax-existing-dir
