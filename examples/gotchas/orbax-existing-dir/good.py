from pathlib import Path

import jax.numpy as jnp
import orbax.checkpoint as ocp

folder = Path("checkpoints").absolute()
with ocp.CheckpointManager(folder, options=ocp.CheckpointManagerOptions(max_to_keep=2)) as manager:
    manager.save(1, args=ocp.args.StandardSave({"w": jnp.ones(3)}))
    manager.save(2, args=ocp.args.StandardSave({"w": jnp.zeros(3)}))
