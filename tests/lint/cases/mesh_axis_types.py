import jax
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def default():
    return jax.make_mesh((4, 2), ("data", "model"))  # ! mesh-axis-types


def given(types):
    return jax.make_mesh((4,), ("data",), axis_types=types)


def by_hand(devices):
    return jax.sharding.Mesh(devices, ("data",))


def one_and_more():
    return jax.make_mesh((1, 8), ("data", "model"))  # ! mesh-axis-types


def other_specs(f, x):
    mesh = jax.make_mesh((4,), ("data",))  # ! mesh-axis-types
    x = jax.device_put(x, NamedSharding(mesh, P("data")))
    return jax.shard_map(f, mesh=mesh, in_specs=P(), out_specs=P())(x)


def not_at_once(x):
    mesh = jax.make_mesh((4,), ("data",))  # ! mesh-axis-types
    x = jax.device_put(x, NamedSharding(mesh, P("data")))
    return np.asarray(x @ x.T)


def handed_on(x):
    mesh = jax.make_mesh((4,), ("data",))  # ! mesh-axis-types
    return mesh, np.asarray(jax.device_put(x, NamedSharding(mesh, P("data"))))


def same_specs(f, x):
    mesh = jax.make_mesh((4,), ("data",))
    x = jax.device_put(x, NamedSharding(mesh, P("data")))
    return jax.shard_map(f, mesh=mesh, in_specs=P("data"), out_specs=P())(x)


def at_once(x):
    mesh = jax.make_mesh((4,), ("data",))
    return np.asarray(jax.device_put(x, NamedSharding(mesh, P("data"))))
