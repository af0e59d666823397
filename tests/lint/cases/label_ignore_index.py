import jax
import jax.numpy as jnp
import numpy as np
import optax
from optax.losses import softmax_cross_entropy_with_integer_labels as entropy


def averaged(logits, tokens, mask):
    labels = jnp.where(mask, tokens, -100)
    losses = entropy(logits, labels)  # ! label-ignore-index
    return jnp.mean(losses)


def masked(logits, tokens, mask):
    labels = jnp.where(mask, tokens, -100)
    losses = entropy(logits, labels)
    return jnp.mean(losses, where=mask)


def masked_by_method(logits, tokens, mask):
    labels = jnp.where(mask, tokens, -1)
    return entropy(logits, labels).sum(where=labels >= 0)


def selected(logits, tokens, mask):
    labels = jnp.where(mask, tokens, -100)
    losses = entropy(logits, labels)
    return jnp.where(labels == -100, 0.0, losses).sum()


def multiplied(logits, tokens, mask):
    labels = jnp.where(mask, tokens, -1)
    losses = entropy(logits, labels) * mask
    return losses.sum() / mask.sum()


def weighted(logits, tokens, mask):
    labels = jnp.where(mask, tokens, -1)
    return jnp.average(entropy(logits, labels), weights=mask)


def last_class(logits, tokens, pad):
    return entropy(logits, jnp.where(tokens == pad, -1, tokens)).mean()  # ! label-ignore-index


def zero(logits, tokens, pad):
    return entropy(logits, jnp.where(tokens == pad, 0, tokens)).mean()


def shifted(logits, tokens):
    labels = tokens.at[..., -1].set(-100)
    return jnp.sum(optax.softmax_cross_entropy_with_integer_labels(logits, labels))  # ! label-ignore-index


def shifted_to_zero(logits, tokens):
    labels = tokens.at[..., -1].set(0)
    return jnp.sum(optax.softmax_cross_entropy_with_integer_labels(logits, labels))


def given(logits, labels):
    return entropy(logits, labels).mean()


def clamped(logits, tokens, mask):
    labels = jnp.where(mask, tokens, -100)
    labels = jnp.maximum(labels, 0)
    return entropy(logits, labels).mean()


def one_of_two_uses(logits, tokens, mask):
    labels = jnp.where(mask, tokens, -1)
    losses = entropy(logits, labels)  # ! label-ignore-index
    return losses.mean(), losses[mask]


def of_logits(logits, tokens, mask):
    return entropy(jnp.where(mask, logits, -100), tokens).mean()


def returned(logits, tokens, mask):
    return entropy(logits, jnp.where(mask, tokens, -100))


IGNORED = -100
FIRST = 0


def by_a_constant(logits, labels, mask):
    marked = jnp.where(mask, labels, IGNORED)
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, marked)  # ! label-ignore-index
    return jnp.sum(losses) / mask.sum()


def by_a_class(logits, labels, mask):
    marked = jnp.where(mask, labels, FIRST)
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, marked)
    return jnp.sum(losses) / mask.sum()


def by_a_constant_and_masked(logits, labels, mask):
    marked = jnp.where(mask, labels, IGNORED)
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, marked)
    return jnp.sum(losses, where=mask) / mask.sum()


def collate(rows, length):
    tokens = np.zeros((len(rows), length), np.int32)
    labels = np.full((len(rows), length), -100, np.int32)
    for i, row in enumerate(rows):
        tokens[i, : len(row)] = row
        labels[i, : len(row)] = row
    return tokens, labels


@jax.jit
def evaluate(table, tokens, labels):
    logits = table[tokens]
    return entropy(logits, labels).mean()  # ! label-ignore-index


def evaluate_all(table, rows):
    tokens, labels = collate(rows, 64)
    return evaluate(table, tokens, labels)


def written_in_place(logits, tokens):
    labels = np.array(tokens)
    labels[:, 0] = -100
    return entropy(logits, labels).mean()  # ! label-ignore-index


def written_in_place_to_zero(logits, tokens):
    labels = np.array(tokens)
    labels[:, 0] = 0
    return entropy(logits, labels).mean()


def padded(logits, tokens):
    labels = jnp.pad(tokens[:, 1:], ((0, 0), (0, 1)), constant_values=-100)
    return entropy(logits, labels).mean()  # ! label-ignore-index


def padded_with_zeros(logits, tokens):
    labels = jnp.pad(tokens[:, 1:], ((0, 0), (0, 1)))
    return entropy(logits, labels).mean()


def joined(logits, tokens):
    last = jnp.full((tokens.shape[0], 1), -100)
    labels = jnp.concatenate([tokens[:, 1:], last], axis=1)
    return entropy(logits, labels).mean()  # ! label-ignore-index


def joined_and_masked(logits, tokens):
    last = jnp.full((tokens.shape[0], 1), -100)
    labels = jnp.concatenate([tokens[:, 1:], last], axis=1)
    losses = entropy(logits, labels)
    return jnp.where(labels == -100, 0.0, losses).sum() / (labels != -100).sum()


@jax.jit
def by_arithmetic(logits, tokens, mask):
    labels = tokens * mask + -100 * (1 - mask)
    return entropy(logits, labels).mean()  # ! label-ignore-index


def picked(logits, tokens, mask):
    labels = jnp.where(mask, tokens, -100)
    scores = jax.nn.log_softmax(logits)
    picks = jnp.take_along_axis(scores, labels[..., None], axis=-1)  # ! label-ignore-index
    return -jnp.mean(picks)


def picked_and_masked(logits, tokens, mask):
    labels = jnp.where(mask, tokens, -100)
    scores = jax.nn.log_softmax(logits)
    picks = jnp.take_along_axis(scores, labels[..., None], axis=-1)
    return -jnp.sum(picks[..., 0] * mask) / jnp.sum(mask)
