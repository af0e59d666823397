import json

import jax.numpy as jnp

losses = jnp.array([2.5, 1.5])
line = json.dumps({"step": 1, "loss": float(losses.mean())})
