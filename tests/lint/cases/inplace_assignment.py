import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def fill(n):
    x = jnp.zeros(n)
    for i in range(n):
        x[i] = i  # ! inplace-assignment
    return x


def scale(n):
    x = jnp.ones((n, n))
    x[:, 0] *= 2.0  # ! inplace-assignment
    return x


@jax.jit
def traced(x):
    y = x * 2
    y[0] = 1.0  # ! inplace-assignment
    return y


def numpy_array(n):
    x = np.zeros(n)
    x[0] = 1.0
    return jnp.asarray(x)


def copied(n):
    x = np.array(jnp.zeros(n))
    x[0] = 1.0
    return x


def in_dict(x):
    params = {"w": jnp.zeros(3)}
    params["w"] = x
    return params


def in_list(x):
    values = [jnp.zeros(3)] * 2
    values[0] = x
    return values


def metrics_of(x):
    metrics = jax.tree.map(jnp.mean, x)
    metrics["lr"] = 0.1
    return metrics


def reference():
    ref = jax.new_ref(jnp.zeros(3))
    ref[0] = 1.0
    return ref[...]


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def call_kernel(x):
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def draw_box(image: jax.Array, row: int):
    image[row] = 1.0
    return image


def functional(x):
    return functools.reduce(lambda a, i: a.at[i].set(0), range(3), x)


class Coder(eqx.Module):
    decoder: eqx.nn.MLP

    def __init__(self, key):
        self.decoder = eqx.nn.MLP(2, 8, 16, 1, key=key)


def decoded(model: Coder, z):
    bits = jax.vmap(model.decoder)(z) > 0
    bits[:, 0] = True  # ! inplace-assignment
    return bits


def decoded_on_the_host(model: Coder, z):
    bits = np.array(jax.vmap(model.decoder)(z) > 0)
    bits[:, 0] = True
    return bits


def flat(x):
    return jnp.reshape(x, (-1,))


def flat_on_the_device(n):
    x = jnp.reshape(jnp.zeros(n), (2, -1))
    x[0] = 1.0  # ! inplace-assignment
    y = flat(x)
    y[0] = 1.0  # ! inplace-assignment
    return x, y


def listed(rows):
    x = jnp.reshape([0.0, 1.0], (2, 1))
    x[0] = rows  # ! inplace-assignment
    return x


def raveled(n):
    x = jnp.ravel(np.zeros((n, n)))
    x[0] = 1.0  # ! inplace-assignment
    return x


def updated_before(state, place, block):
    level = state.levels[state.number].at[place].set(block)
    level[0] = block  # ! inplace-assignment
    return level


def updated_before_in_a_branch(state, place, block):
    level = state.level
    if block:
        level = level.at[place].set(block)
    level[0] = block
    return level


def a_copy_of_the_updated(state, place, block):
    level = np.array(state.level.at[place].set(block))
    level[0] = block
    return level


def a_method_of_something_else(state, place, block):
    level = state.level.at(place).set(block)
    level[0] = block
    return level


def of_a_batch(batch: dict[str, jax.Array], arrays: dict[str, np.ndarray]):
    image = batch["image"]
    image[:, 0] = 0.0  # ! inplace-assignment
    other = arrays["image"]
    other[:, 0] = 0.0
    return image, other


def of_any_batch(batch: dict[str, jax.Array | np.ndarray]):
    image = batch["image"]
    image[:, 0] = 0.0
    return image


def divided(model, x, limit):
    logits = jax.vmap(model)(x)
    logits = logits / 2.0
    logits[logits < limit] = -jnp.inf  # ! inplace-assignment
    return logits


def joined(model, x, more):
    results = jax.vmap(model)(x)
    results = results + more
    results[0] = None
    return results


@jax.jit
def flipped(state, qubits):
    for qubit in range(qubits):
        index = [slice(None)] * qubits
        index[qubit] = 1
        state = state.at[tuple(index)].multiply(-1.0)
    return state


class Ansatz:
    qubits: int = 4


@jax.jit
def flipped_by_field(state):
    count = Ansatz().qubits
    index = [0] * count
    index[count - 1] = 1
    return state[tuple(index)]
