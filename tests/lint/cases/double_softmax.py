import jax
import optax
from flax import nnx


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
