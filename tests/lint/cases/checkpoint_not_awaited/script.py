"""A script whose helpers make the manager and save with it; one of its two managers is closed."""

import jax.numpy as jnp
import orbax.checkpoint as ocp


def made(path):
    options = ocp.CheckpointManagerOptions(max_to_keep=3)
    return ocp.CheckpointManager(path, options=options)


def made_to_wait(path):
    options = ocp.CheckpointManagerOptions(enable_async_checkpointing=False)
    return ocp.CheckpointManager(path, options=options)


def save(manager, step, params):
    manager.save(step, args=ocp.args.StandardSave(params))  # ! checkpoint-not-awaited


def save_best(manager, step, params):
    manager.save(step, args=ocp.args.StandardSave(params))


def save_at_once(manager, step, params):
    manager.save(step, args=ocp.args.StandardSave(params))


best = ocp.CheckpointManager("/tmp/best")
with ocp.CheckpointManager("/tmp/other") as other:
    save_best(other, 0, jnp.ones(3))
last = made("/tmp/last")
patient = made_to_wait("/tmp/patient")
for step in range(10):
    save(last, step, jnp.ones(3))
    save_at_once(patient, step, jnp.ones(3))
save_best(best, 10, jnp.ones(3))
best.close()
