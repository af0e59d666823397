import jax


def default():
    return jax.make_mesh((4, 2), ("data", "model"))  # ! mesh-axis-types


def given(types):
    return jax.make_mesh((4,), ("data",), axis_types=types)


def by_hand(devices):
    return jax.sharding.Mesh(devices, ("data",))


def one_and_more():
    return jax.make_mesh((1, 8), ("data", "model"))  # ! mesh-axis-types
