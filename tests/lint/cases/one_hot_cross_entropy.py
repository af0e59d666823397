"""Labels that are made one-hot for a cross entropy, and one-hot arrays for other things."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


def by_hand(logits, labels):
    return -jnp.sum(
        jax.nn.log_softmax(logits) * jax.nn.one_hot(labels, 32000),  # ! one-hot-cross-entropy
        axis=-1,
    ).mean()


def under_names(logits, labels, vocab_size):
    targets = jax.nn.one_hot(labels, vocab_size)  # ! one-hot-cross-entropy
    log_probs = nn.log_softmax(logits)
    return -jnp.mean(jnp.sum(log_probs * targets, axis=-1))


def of_optax(logits, labels, config):
    targets = jax.nn.one_hot(labels, num_classes=config.vocab_size)  # ! one-hot-cross-entropy
    return optax.softmax_cross_entropy(logits=logits, labels=targets).mean()


def cross_entropy(targets, logits):
    return -jnp.mean(jnp.sum(targets * nn.log_softmax(logits, axis=-1), axis=-1))


class Model(nn.Module):
    vocab_size: int

    @nn.compact
    def __call__(self, x, labels):
        logits = nn.Dense(self.vocab_size)(x)
        targets = jax.nn.one_hot(labels, num_classes=self.vocab_size)  # ! one-hot-cross-entropy
        return cross_entropy(targets, logits)


def flattened(logits, labels, vocab_size):
    targets = jax.nn.one_hot(labels, vocab_size).reshape(-1, vocab_size)  # ! one-hot-cross-entropy
    return optax.softmax_cross_entropy(logits.reshape(-1, vocab_size), targets).mean()


def squeezed(logits, labels, vocab_size):
    targets = jnp.squeeze(jax.nn.one_hot(labels, vocab_size), 1)  # ! one-hot-cross-entropy
    return optax.softmax_cross_entropy(logits, targets.astype(logits.dtype)).mean()


def whole_numbers(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def ten_classes(logits, labels):
    targets = jax.nn.one_hot(labels, 10)
    return optax.softmax_cross_entropy(logits, targets).mean()


def of_unknown_number(logits, labels):
    targets = jax.nn.one_hot(labels, logits.shape[-1])
    return optax.softmax_cross_entropy(logits, targets).mean()


def smoothed(logits, labels, vocab_size):
    targets = jax.nn.one_hot(labels, vocab_size)
    targets = 0.9 * targets + 0.1 / vocab_size
    return optax.softmax_cross_entropy(logits, targets).mean()


def smoothed_by_optax(logits, labels, vocab_size):
    targets = optax.smooth_labels(jax.nn.one_hot(labels, vocab_size), 0.1)
    return -jnp.mean(jnp.sum(targets * jax.nn.log_softmax(logits), axis=-1))


def distilled(student, teacher):
    return -jnp.mean(jnp.sum(jax.nn.softmax(teacher) * jax.nn.log_softmax(student), axis=-1))


def looked_up(table, tokens, vocab_size):
    return jax.nn.one_hot(tokens, vocab_size) @ table


def picked(values, actions, vocab_size):
    return jnp.sum(values * jax.nn.one_hot(actions, vocab_size), axis=-1)
