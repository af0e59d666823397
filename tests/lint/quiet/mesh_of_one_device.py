"""A mesh of one device shards nothing, of whatever type its axes are."""

import jax


def one_device():
    devices = jax.devices()[:1]
    return jax.make_mesh((1, 1, 1), ("data", "model", "expert"), devices=devices)


def one_axis():
    return jax.make_mesh((1,), ("data",))
