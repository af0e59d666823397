import equinox as eqx
import jax
import optax
from flax import linen as nn
from flax import nnx
from flax.training.train_state import TrainState


def direct(x, y):
    return optax.softmax_cross_entropy(jax.nn.softmax(x), y)  # ! double-softmax


def binary(x, y):
    p = nnx.sigmoid(x)
    return optax.sigmoid_binary_cross_entropy(p, y)  # ! double-softmax


def logits(x, y):
    return optax.softmax_cross_entropy(x, y)


def soft_labels(x, y):
    return optax.softmax_cross_entropy(x, jax.nn.softmax(y))


def either(x, y, binary):
    p = x
    if binary:
        p = jax.nn.sigmoid(x)
    return p, optax.sigmoid_binary_cross_entropy(x, y)


def own_loss(logits, y):
    return optax.softmax_cross_entropy(logits, y).mean()


def through_own_loss(x, y):
    return own_loss(jax.nn.softmax(x), y)  # ! double-softmax


def own_loss_of_logits(x, y):
    return own_loss(x, y)


def loss_of_loss(logits, y):
    return 0.5 * own_loss(logits, y)


def through_two(x, y):
    p = jax.nn.softmax(x)
    return loss_of_loss(p, y), p  # ! double-softmax


def told(x, y, from_logits):
    if not from_logits:
        return -(y * jax.numpy.log(x + 1e-6)).sum()
    return optax.softmax_cross_entropy(x, y).mean()


def through_told(x, y):
    return told(jax.nn.softmax(x), y, False)


def twice(x):
    p = jax.nn.softmax(x)
    return jax.nn.log_softmax(p)  # ! double-softmax


def drawn(key, x):
    return jax.random.categorical(key, jax.nn.softmax(x))  # ! double-softmax


def drawn_of_logits(key, x):
    p = jax.nn.softmax(x)
    return p, jax.random.categorical(key, x)


def drawn_of_logs(key, p):
    return jax.random.categorical(key, jax.numpy.log(p))


def gates(key, x):
    return jax.random.categorical(key, jax.nn.sigmoid(x))


def scaled(x, y):
    p = jax.nn.softmax(x)
    return optax.softmax_cross_entropy(p / 0.1, y)


class Ends(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.softmax(nn.Dense(3)(x))


class Open(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(nn.softmax(x))


def of_a_model(params, x, y):
    p = Ends().apply(params, x)
    return optax.softmax_cross_entropy(p, y)  # ! double-softmax


def of_a_good_model(params, x, y):
    z = Open().apply(params, x)
    return optax.softmax_cross_entropy(z, y)


def of_a_method(params, x, y):
    z = Ends().apply(params, x, method="features")
    return optax.softmax_cross_entropy(z, y)


class Small(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return jax.nn.sigmoid(self.weight @ x)


def of_an_equinox_model(model: Small, x, y):
    return optax.sigmoid_binary_cross_entropy(model(x), y)  # ! double-softmax


class State(TrainState):
    pass


class OpenState(TrainState):
    pass


def states(params, tx):
    ends, open_ = Ends(), Open()
    closed = State.create(apply_fn=ends.apply, params=params, tx=tx)
    return closed, OpenState.create(apply_fn=open_.apply, params=params, tx=tx)


def of_a_state(state: State, x, y):
    p = state.apply_fn({"params": state.params}, x)
    return optax.softmax_cross_entropy(p, y)  # ! double-softmax


def of_a_state_with_statistics(state: State, x, y):
    p, updates = state.apply_fn({"params": state.params}, x, mutable=["batch_stats"])
    return own_loss(p, y), updates  # ! double-softmax


def of_a_good_state(state: OpenState, x, y):
    z, updates = state.apply_fn({"params": state.params}, x, mutable=["batch_stats"])
    return own_loss(z, y), updates


def of_another_method(state: State, x, y):
    z = state.apply_fn({"params": state.params}, x, method="features")
    return optax.softmax_cross_entropy(z, y)


def head(params, x):
    return {"scores": nn.softmax(x @ params), "rows": x.shape[0]}


@jax.jit
def of_a_dictionary(params, x, y):
    found = head(params, x)
    return optax.softmax_cross_entropy(found["scores"], y).sum()  # ! double-softmax


class Holder:
    def __init__(self, width):
        self.module = Ends()
        self.step = jax.jit(self.loss)

    def loss(self, params, x, y):
        p = self.module.apply(params, x)
        return own_loss(p, y)  # ! double-softmax
