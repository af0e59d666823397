"""Shards a dimension that is no multiple of the number of devices.

Each device gets a part of the same size. It is often the last batch of an epoch, and then comes
after hours.
"""

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, PartitionSpec("data"))
data = np.ones((10, 3), np.float32)
batch = jax.device_put(data, rows)  # ! indivisible-batch
