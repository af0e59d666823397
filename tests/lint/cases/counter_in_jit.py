import jax
import jax.numpy as jnp
from flax import struct

seen = 0
total = 0
n_traces = 0


@jax.jit
def of_the_module(w, x):
    global seen
    seen += x.shape[0]  # ! counter-in-jit
    return w - x.mean()


def note_examples(n):
    global total
    total += n


@jax.jit
def not_by_a_print(w, x):
    return w - x.mean()


class Buffer:
    def __init__(self):
        self.insertions = 0
        self.insert = jax.jit(self._insert)

    def _insert(self, x):
        self.insertions += 1  # ! counter-in-jit
        return jnp.clip(x, -1, 1)

    def add(self, x):
        return self.insert(x)


def of_an_outer_function(xs):
    steps = 0

    @jax.jit
    def step(w, x):
        nonlocal steps
        steps += 1  # ! counter-in-jit
        return w + x

    w = jnp.zeros(3)
    for x in xs:
        w = step(w, x)
    return w, steps


@jax.jit
def of_the_trace(w, xs):
    count = 0
    for x in (xs, 2 * xs):
        w = w + x
        count += 1
    return w / count


@jax.jit
def of_a_function_within(w, xs):
    count = 0

    def add(w, x):
        nonlocal count
        count += 1
        return w + x

    return add(add(w, xs), xs) / count


class Meter:
    def __init__(self):
        self.count = 0

    def add(self, n):
        self.count += n


@jax.jit
def of_an_object_of_the_trace(w, x):
    meter = Meter()
    meter.add(x.shape[0])
    return w / meter.count


def outside(w, xs):
    for x in xs:
        w = of_the_trace(w, x)
        note_examples(x.shape[0])
    return w


def of_a_gradient(w, xs):
    calls = 0

    def loss(w):
        nonlocal calls
        calls += 1
        return (w * xs).sum()

    return jax.grad(loss)(w), calls


@struct.dataclass
class Progress:
    step: int = 0


@jax.jit
def advanced(progress, x):
    progress.step += 1
    return progress, x * progress.step


def of_a_tree(x):
    progress, x = advanced(Progress(0), x)
    return advanced(progress, x)
