"""Meshes that are entered."""

import contextlib

import jax
import numpy as np
from jax.sharding import Mesh

MESH = jax.make_mesh((4,), ("data",))


def of_the_module(step, batch):
    with MESH:  # ! with-mesh
        return step(batch)


def made_here(devices, step, batch):
    with Mesh(np.array(devices), ("data",)) as mesh:  # ! with-mesh
        return step(batch, mesh)


def annotated(mesh: Mesh, step, batch):
    with mesh:  # ! with-mesh
        return step(batch)


def unknown(mesh, step, batch):
    with mesh:
        return step(batch)


def of_another_kind(step, batch):
    with contextlib.suppress(ValueError):
        return step(batch)


def beside_another(lock, step, batch):
    with lock, MESH:  # ! with-mesh
        return step(batch)


def used_otherwise(step, batch):
    sharding = jax.sharding.NamedSharding(MESH, jax.sharding.PartitionSpec("data"))
    return step(jax.device_put(batch, sharding))


def optional(mesh: Mesh | None, step, batch):
    with mesh or contextlib.nullcontext():
        return step(batch)


def open_file(path):
    with open(path) as file:
        return file.read()


def of_its_one_caller(mesh, step, batch):
    with mesh:  # ! with-mesh
        return step(batch)


def calls_it(step, batch):
    return of_its_one_caller(MESH, step, batch)


def of_two_callers(mesh, step, batch):
    with mesh:
        return step(batch)


def calls_with_either(step, batch, other):
    return of_two_callers(MESH, step, batch), of_two_callers(other, step, batch)
