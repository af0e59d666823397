import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx, struct
from flax.training.train_state import TrainState


def set_rows(x, i):
    x.at[i].set(0.0)  # ! discarded-update
    return x


def add_rows(x, i):
    x.at[i, 1:].add(2.0)  # ! discarded-update
    return x


def apply(params, updates):
    optax.apply_updates(params, updates)  # ! discarded-update
    return params


def forgets_assert(x, y):
    jnp.allclose(x, y)  # ! discarded-update


def clipped(n):
    x = jnp.arange(n)
    x.clip(0, 3)  # ! discarded-update
    return x


def train(state: TrainState, grads):
    state.apply_gradients(grads=grads)  # ! discarded-update
    return state


@struct.dataclass
class Carry:
    step: int


def advance(carry: Carry):
    carry.replace(step=carry.step + 1)  # ! discarded-update
    return carry


def bound(x, i):
    x = x.at[i].set(0.0)
    return x


def returned(x, i):
    return x.at[i].add(1.0)


def text(name):
    name.replace("a", "b")
    return name


class Counter:
    def replace(self, step):
        self.step = step


def in_place(counter: Counter):
    counter.replace(step=1)
    return counter


def update_nnx(optimizer: nnx.Optimizer, model, grads):
    optimizer.update(model, grads)
    return model


def kernel(x_ref, o_ref):
    o_ref.at[0].set(x_ref[0])


def waits(x):
    jnp.dot(x, x).block_until_ready()


def shows(x):
    jax.debug.print("{}", x)
    print(jnp.sum(x))


def refuses(x):
    with pytest.raises(TypeError):
        jnp.reshape(x, "wrong")


def appended(values, x):
    values.append(x.at[0].set(1.0))
    return values


def halves(grads, table, log):
    jax.tree.map(lambda grad: grad * 0.5, grads)  # ! discarded-update
    jax.tree.map(jnp.zeros_like, grads)  # ! discarded-update
    jax.tree_util.tree_map(lambda g: jnp.clip(g, -1, 1), grads)  # ! discarded-update
    jax.tree.map(lambda grad: table.append(grad), grads)
    jax.tree.map(log, grads)
    jax.tree.map(print, grads)
    jax.tree.map(lambda grad: grad.block_until_ready(), grads)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b), grads, grads)
    jax.tree.map(np.testing.assert_array_equal, grads, grads)
    return jax.tree.map(lambda grad: grad * 0.5, grads)


def looks_and_computes(trees, others):
    jax.tree.map(lambda x: x.T, trees)  # ! discarded-update
    jax.tree.map(lambda x, y: (x.shape, x + y), trees, others)  # ! discarded-update
    jnp.divide(trees, 2.0)  # ! discarded-update


def preferred(scores, best):
    pref = jnp.zeros_like(scores)
    pref.at[best].set(1.0)  # ! discarded-update
    return pref


@jax.jit
def pays_no_heed(href):
    hits = href * 2
    hits.at[0].set(0.0)  # ! discarded-update
    return hits


@struct.dataclass
class Average:
    decay: float = struct.field(pytree_node=False)
    mean: jax.Array = None

    def updated(self, x):
        return self.replace(mean=self.decay * self.mean + (1 - self.decay) * x)


def averaged(xs):
    average = Average(0.9, jnp.zeros(3))
    for x in xs:
        average.updated(x)  # ! discarded-update
    return average.mean


def averaged_and_kept(xs):
    average = Average(0.9, jnp.zeros(3))
    for x in xs:
        average = average.updated(x)
    return average.mean


class Keeper:
    def __init__(self):
        self.average = Average(0.9, jnp.zeros(3))
        self.all = []

    def update(self, x):
        self.average = self.average.updated(x)
        return self.average

    def add(self, x):
        new = self.average.updated(x)
        self.all.append(new)
        return new


def kept_by_an_object(xs):
    keeper = Keeper()
    for x in xs:
        keeper.update(x)
        keeper.add(x)
    return keeper.average.mean


class Table(nnx.Module):
    """What is written to a variable is cast to the type that is there."""

    def __init__(self, rngs: nnx.Rngs):
        self.rows = nnx.Param(jax.random.normal(rngs.params(), (4, 8)))
        self.rows[...] = self.rows[...].astype(jnp.bfloat16)  # ! discarded-update

    def __call__(self, x):
        return x @ self.rows


class TableInHalfPrecision(nnx.Module):
    def __init__(self, rngs: nnx.Rngs, other):
        self.rows = nnx.Param(jax.random.normal(rngs.params(), (4, 8)))
        self.rows.set_value(self.rows[...].astype(jnp.bfloat16))
        self.rows[...] = other.rows[...].astype(jnp.bfloat16)
        self.rows[...] = 2 * self.rows[...]

    def __call__(self, x):
        return x @ self.rows


class Counted(TrainState):
    count: int


def copied(state: Counted, grads):
    state.apply_gradients(grads=grads)  # ! discarded-update
    state = state.replace(count=state.count + 1)
    return state


def replaced(state: Counted, grads):
    state = state.replace(count=state.count + 1)
    state = state.apply_gradients(grads=grads)
    return state
