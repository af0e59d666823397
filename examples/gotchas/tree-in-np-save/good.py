import io

import jax
import jax.numpy as jnp
import numpy as np

params = jax.device_get({"w": jnp.ones(3), "b": jnp.zeros(2)})
file = io.BytesIO()
np.savez(file, **params)
file.seek(0)
restored = dict(np.load(file))
