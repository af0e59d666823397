import tempfile

import jax
import jax.numpy as jnp
import optax
import orbax.checkpoint as ocp

params = {"w": jnp.ones(3)}
state = optax.adam(1e-3).init(params)
folder = tempfile.mkdtemp() + "/state"
with ocp.StandardCheckpointer() as checkpointer:
    checkpointer.save(folder, state)
    checkpointer.wait_until_finished()
    target = jax.eval_shape(optax.adam(1e-3).init, params)
    restored = checkpointer.restore(folder, target)
momentum = restored[0].mu
