"""The order of the two states of an LSTM."""

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
from flax import nnx


class Started(nn.Module):
    """The first states are computed from a context."""

    @nn.compact
    def __call__(self, context, xs):
        h0 = nn.Dense(8, name="h")(context)
        c0 = nn.Dense(8, name="c")(context)
        run = nn.RNN(nn.OptimizedLSTMCell(8))
        return run(xs, initial_carry=(h0, c0))  # ! lstm-carry-swapped


class Named(nn.Module):
    @nn.compact
    def __call__(self, states, x):
        cell = nn.LSTMCell(8)
        _, y = cell((states.hidden, states.cell), x)  # ! lstm-carry-swapped
        return y


class Taken(nn.Module):
    def setup(self):
        self.lstm = nn.LSTMCell(8)

    def __call__(self, carry, x):
        new, _ = self.lstm(carry, x)
        h_t, c_t = new  # ! lstm-carry-swapped
        return jnp.tanh(h_t), new


class Turned(nn.Module):
    @nn.compact
    def __call__(self, carry, x):
        cell = nn.LSTMCell(8)
        (a, b), _ = cell(carry, x)
        return cell((b, a), x)[1]  # ! lstm-carry-swapped


class Scanned(nn.Module):
    @nn.compact
    def __call__(self, carry, xs):
        cell = nn.scan(nn.LSTMCell, {"params": None}, split_rngs={"params": False})(8)
        (hidden, cell_state), ys = cell(carry, xs)  # ! lstm-carry-swapped
        return jnp.concatenate([hidden, ys[-1]])


class Grown(eqx.Module):
    lstm: eqx.nn.LSTMCell

    def __init__(self, key):
        self.lstm = eqx.nn.LSTMCell(3, 8, key=key)

    def __call__(self, x, h, c):
        return self.lstm(x, (c, h))  # ! lstm-carry-swapped


class RightOrder(nn.Module):
    @nn.compact
    def __call__(self, context, xs):
        h0, c0 = nn.Dense(8)(context), nn.Dense(8)(context)
        run = nn.RNN(nn.OptimizedLSTMCell(8))
        return run(xs, initial_carry=(c0, h0))


class Zeros(nn.Module):
    @nn.compact
    def __call__(self, x):
        h = jnp.zeros((x.shape[0], 8))
        c = jnp.zeros((x.shape[0], 8))
        return nn.LSTMCell(8)((h, c), x)[1]


class OnlyNames(nn.Module):
    """Exchanged at each use."""

    @nn.compact
    def __call__(self, xs):
        cell = nn.LSTMCell(8)
        h, c = cell.initialize_carry(jax.random.key(0), xs[0].shape)
        for x in xs:
            (h, c), y = cell((h, c), x)
        return y


class Takes(nn.Module):
    @nn.compact
    def __call__(self, carry, x):
        (c, h), y = nn.LSTMCell(8)(carry, x)
        return (c, h), h + y


class Gru(nn.Module):
    @nn.compact
    def __call__(self, h, x):
        h, y = nn.GRUCell(8)(h, x)
        return h, y


class InEquinox(eqx.Module):
    lstm: eqx.nn.LSTMCell

    def __init__(self, key):
        self.lstm = eqx.nn.LSTMCell(3, 8, key=key)

    def __call__(self, x, h, c):
        h, c = self.lstm(x, (h, c))
        return h


def unnamed(first, second, x):
    return nnx.LSTMCell(3, 8, rngs=nnx.Rngs(0))((first, second), x)


def kept(pair, x):
    """The pair of a caller, in an order of its own."""
    h, c = pair
    return nnx.LSTMCell(3, 8, rngs=nnx.Rngs(0))((c, h), x)
