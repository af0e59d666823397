import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")

import jax
import jax.numpy as jnp
import numpy as np
from functools import partial
from jax.sharding import Mesh, PartitionSpec as P


def mirror_image(points, vertex, normal):
    d = jnp.sum((points - vertex) * normal, axis=-1, keepdims=True)
    return points - 2.0 * d * normal


def intersect(origins, images, vertex, normal):
    direction = images - origins
    num = jnp.sum((vertex - origins) * normal, axis=-1, keepdims=True)
    den = jnp.sum(direction * normal, axis=-1, keepdims=True)
    return origins + direction * num / jnp.where(jnp.abs(den) < 1e-9, 1.0, den)


def image_method(tx, rx, vertices, normals):
    """Path through a fixed sequence of mirrors, from transmitters to one receiver."""

    def forward(points, mirror):
        points = mirror_image(points, *mirror)
        return points, points

    _, images = jax.lax.scan(forward, tx, (vertices, normals))

    def backward(points, xs):
        image, vertex, normal = xs
        points = intersect(points, image, vertex, normal)
        return points, points

    start = jax.lax.pcast(rx, ("i",), to="varying")
    _, path = jax.lax.scan(backward, start, (images, vertices, normals), reverse=True)
    return path


def path_lengths(tx, rx, vertices, normals):
    path = image_method(tx, rx, vertices, normals)
    full = jnp.concatenate([tx[None], path, jnp.broadcast_to(rx, tx.shape)[None]])
    return jnp.sum(jnp.linalg.norm(jnp.diff(full, axis=0), axis=-1), axis=0)


def compute_paths(mesh, tx, rx, vertices, normals):
    fn = jax.shard_map(
        path_lengths, mesh=mesh, in_specs=(P("i"), P(), P(), P()), out_specs=P("i")
    )
    return jax.jit(fn)(tx, rx, vertices, normals)


def main():
    mesh = Mesh(np.array(jax.devices()), ("i",))
    tx = jax.random.normal(jax.random.key(0), (4, 3)) + 5.0
    rx = jnp.broadcast_to(jnp.array([2.0, 3.0, 4.0]), (4 // mesh.size, 3))
    vertices = jnp.array([[0.0, 0.0, 0.0], [0.0, 9.0, 0.0]])
    normals = jnp.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    print(compute_paths(mesh, tx, rx, vertices, normals))


if __name__ == "__main__":
    main()
