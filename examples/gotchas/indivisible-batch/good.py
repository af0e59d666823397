import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, PartitionSpec("data"))
data = np.ones((10, 3), np.float32)
padded = np.pad(data, ((0, -len(data) % mesh.size), (0, 0)))
is_real = np.arange(len(padded)) < len(data)
batch, is_real = jax.device_put((padded, is_real), rows)
