import orbax.checkpoint as ocp

options = ocp.CheckpointManagerOptions(max_to_keep=1)
manager = ocp.CheckpointManager("/tmp/old", ocp.PyTreeCheckpointer(), options)
manager.save(0, {"step": 1})
