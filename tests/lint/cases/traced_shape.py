from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax


@jax.jit
def loops(x, n):
    for _ in range(n):  # ! traced-shape
        x = x + 1
    return x


@jax.jit
def zeros(x):
    count = jnp.sum(x > 0)
    return jnp.zeros((count, 2))  # ! traced-shape


@jax.jit
def reshaped(x, n):
    return x.reshape(n, -1)  # ! traced-shape


@jax.jit
def prefix(x, n):
    return x[:n]  # ! traced-shape


@jax.jit
def window(x, i):
    return x[0, i : i + 4]  # ! traced-shape


@jax.jit
def classes(labels, n):
    return jax.nn.one_hot(labels, n)  # ! traced-shape


@jax.jit
def keys(key, n):
    return jax.random.split(key, n)  # ! traced-shape


def helper(x, n):
    return lax.top_k(x, n)  # ! traced-shape


@jax.jit
def calls_helper(x, n):
    return helper(x, n)


@jax.jit
def own_shape(x):
    n = x.shape[0]
    return jnp.arange(n) + jnp.zeros((n,)) + x[: n // 2].sum()


@partial(jax.jit, static_argnames="n")
def static_size(x, n):
    return x[:n].reshape(n, -1) + jnp.arange(n)


@partial(jax.jit, static_argnums=1)
def static_position(x, n):
    return jnp.zeros(n) + x


@jax.jit
def from_length(xs):
    return jnp.arange(len(xs))


@jax.jit
def closed_over(x):
    size = 4
    return jnp.ones(size) * x


@jax.jit
def dynamic(x, i):
    return lax.dynamic_slice_in_dim(x, i, 4) + x[i]


@jax.jit
def traced_bounds_of_fori(x, n):
    return lax.fori_loop(0, n, lambda i, y: y + 1, x)


def outside(x, n):
    return x[:n] + jnp.arange(n)


def per_row(x, size):
    return jax.vmap(lambda row, n: row.reshape(n, -1), in_axes=(0, None))(x, size)


def partial_size(x):
    def step(n, x):
        return x.reshape(n, -1)

    return jax.jit(partial(step, 2))(x)


@jax.jit
def dtype_and_value(x, value):
    return jnp.full((3,), value) + jnp.linspace(0.0, value, 3) + np.zeros(3)


class Carry(NamedTuple):
    step: jax.Array
    rows: int


@jax.jit
def in_a_tuple(carry: Carry):
    return jnp.linspace(0.0, 1.0, carry.step + 2)  # ! traced-shape


@eqx.filter_jit
def filtered(x: jax.Array, count: int):
    positions = jax.nn.one_hot(0, x.sum().astype(int))  # ! traced-shape
    return positions, jnp.arange(count), jnp.zeros(x.shape[0])


@eqx.filter_jit
def filtered_number(x: jax.Array, rows):
    return x.reshape(rows, -1)


@eqx.filter_jit
def filtered_scalar(n: jax.Array):
    return jnp.arange(n)


def compiled(function, **options):
    """The project's own jit."""
    return jax.jit(function, **options)


@compiled
def behind_its_own_jit(x, count):
    return x.reshape(count, -1)  # ! traced-shape


@partial(compiled, static_argnames="count")
def behind_its_own_jit_static(x, count):
    return x.reshape(count, -1)


def calls_them(x):
    print(filtered(x, 3), filtered_number(x, 3), filtered_scalar(3))
    return behind_its_own_jit(x, 4), behind_its_own_jit_static(x, 4)


def aligned(x, a):
    return (x + a - 1) // a * a


@jax.jit
def aligned_shapes(x, length):
    wide = jnp.zeros(aligned(x.shape[0], 8))
    return wide, jnp.zeros(aligned(length, 8))  # ! traced-shape


aligned_shapes(jnp.ones(3), 5)


@jax.jit
def parted(x, n):
    return jnp.split(x, n)  # ! traced-shape


@partial(jax.jit, static_argnames="n")
def static_around_traced(x, n):
    return parted(x, n)[0]


@partial(jax.jit, static_argnames="n")
def parted_by_static(x, n=2):
    return jnp.split(x, n)


@partial(jax.jit, static_argnames="n")
def static_throughout(x, n):
    return parted_by_static(x, n)[0] + parted_by_static(x, n=n)[1] + parted_by_static(x)[0]


halves = static_around_traced(jnp.ones(6), 3), static_throughout(jnp.ones(6), 2)


class Heads(eqx.Module):
    count: int = 2

    def __call__(self, x):
        length, width = jnp.shape(x)
        parts = jnp.swapaxes(x.reshape(length, self.count, width // self.count), 0, 1)
        parts = parts / jnp.ndim(parts) / np.sqrt(jnp.shape(parts)[-1])
        return parts.reshape(length, width)


class Normed(eqx.Module):
    norm: eqx.nn.LayerNorm
    heads: Heads

    def __call__(self, x):
        return x + self.heads(jax.vmap(self.norm)(x))


@eqx.filter_jit
@eqx.filter_grad
def loss_of_normed(model, x):
    return jnp.mean(jax.vmap(model)(x))


normed = loss_of_normed(Normed(eqx.nn.LayerNorm(4), Heads()), jnp.ones((2, 3, 4)))


@struct.dataclass
class Scene:
    position: jax.Array
    step: jax.Array
    limit: int = struct.field(pytree_node=False, default=20)

    @property
    def left(self):
        return self.limit - self.step

    def halves(self):
        return [self.position[i] for i in range(self.limit // 2)]


class Rest(NamedTuple):
    scene: Scene
    weight: jax.Array


@jax.jit
def rolled(scene):
    for _ in range(scene.left):  # ! traced-shape
        scene = scene.replace(position=scene.position + 1)
    for _ in range(scene.limit):
        scene = scene.replace(step=scene.step + 1)
    return scene, scene.halves()


@jax.jit
def within(rest):
    half = jnp.zeros(rest.scene.limit // 2)
    zeros = jnp.zeros(rest.weight.shape[0])
    return half, zeros, jnp.zeros(rest.scene.step)  # ! traced-shape


start = Scene(jnp.ones(20), jnp.array(5))
rolled(start)
within(Rest(start, jnp.ones(3)))
after = rolled(start)[0]
counted_by_the_host = list(range(after.step)), jnp.zeros(start.step)
