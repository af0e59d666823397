import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@jax.jit
def masked(x):
    return x[x > 0].sum()  # ! bool-mask-in-jit


@jax.jit
def named(x):
    mask = jnp.isnan(x)
    return x[~mask].mean()  # ! bool-mask-in-jit


@jax.jit
def assigned(x):
    return x.at[x < 0].set(0.0)  # ! bool-mask-in-jit


@jax.jit
def positions(x):
    return jnp.where(x > 0)  # ! bool-mask-in-jit


@jax.jit
def distinct(x):
    return jnp.unique(x)  # ! bool-mask-in-jit


@jax.jit
def selected(x):
    return jnp.where(x > 0, x, 0.0).sum() + jnp.sum(x, where=x > 0)


@jax.jit
def sized(x):
    return jnp.nonzero(x, size=3)[0], jnp.unique(x, size=3), jnp.where(x > 0, size=3)


@jax.jit
def gathered(x, i):
    return x[i] + x[jnp.argmax(x)] + x.at[i].get()


@jax.jit
def rolled(x, n):
    index = (jnp.arange(4) + n) % 4
    return x[index]


def eager(x):
    return x[x > 0], jnp.unique(x), jnp.where(x > 0)


@jax.jit
def numpy_mask(x):
    keep = np.array([True, False, True])
    return x[keep]


@jax.jit
def counted(x):
    return jnp.bincount(x, length=4)


@jax.jit
def flag(carry):
    return lax.cond(carry[0] > 0, lambda: carry[1], lambda: carry[2])


def fill(scores, valid):
    return scores.at[~valid].set(-1e9)  # ! bool-mask-in-jit


@jax.jit
def attention(q, k, lengths):
    scores = jnp.einsum("qd,kd->qk", q, k)
    valid = jnp.arange(k.shape[0])[None, :] < lengths[:, None]
    first = scores.at[0].set(0.0).at[lengths].add(1.0)
    return fill(scores, jnp.broadcast_to(valid, scores.shape)) + first


weights = attention(jnp.ones((3, 4)), jnp.ones((5, 4)), jnp.array([1, 2, 5]))
outside = jnp.ones(3).at[jnp.ones(3) > 0].set(0.0)


class Grid:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns

    def modes(self):
        m, n = np.mgrid[0 : self.rows + 1, : self.columns]
        return np.stack([m.ravel(), n.ravel()], axis=1)


class Objective:
    def __init__(self, grid):
        self.modes = jnp.asarray(grid.modes())
        self.on_host = grid.modes()

    def compute(self, x):
        kept = self.on_host[:, 0] != self.on_host[:, 1]
        broken = self.modes[:, 0] != self.modes[:, 1]
        return x[kept].sum() + x[broken].sum()  # ! bool-mask-in-jit


objective = Objective(Grid(3, 4))
value = jax.jit(objective.compute)(jnp.ones(16))
