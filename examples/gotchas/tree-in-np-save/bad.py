"""Saves a dict of arrays with `np.save`.

`np.save` makes one array of what it gets. A dict becomes an array that holds one Python object,
which is pickled; that shows when it is loaded, perhaps weeks later. Arrays of `bfloat16` are
not restored either.
"""

import io

import jax
import jax.numpy as jnp
import numpy as np

params = jax.device_get({"w": jnp.ones(3), "b": jnp.zeros(2)})
file = io.BytesIO()
np.save(file, params)
file.seek(0)
restored = np.load(file)  # ! tree-in-np-save
