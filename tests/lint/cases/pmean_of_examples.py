import functools

import jax
import jax.numpy as jnp
from jax import lax


def train_step(params, x, labels):
    def loss_fn(params):
        logits = x @ params
        return jnp.mean((logits - labels) ** 2), logits

    (loss, logits), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
    probs = jax.lax.pmean(jax.nn.softmax(logits), axis_name="batch")  # ! pmean-of-examples
    classes = jax.nn.one_hot(jnp.argmax(logits, -1), 10)
    share = lax.pmean(classes, "batch")  # ! pmean-of-examples
    grads = lax.pmean(grads, "batch")
    return params - grads, loss, probs, share


def eval_step(params, x, labels):
    log_probs = jax.nn.log_softmax(x @ params)
    log_probs = lax.pmean(log_probs, "batch")  # ! pmean-of-examples
    return jnp.mean(jnp.argmax(log_probs, -1) == labels)


def metric_of_each(params, x, labels):
    probs = jax.nn.softmax(x @ params)
    accuracy = jnp.mean(jnp.argmax(probs, -1) == labels)
    return lax.pmean(accuracy, "batch")


def mean_of_probabilities(params, x):
    return lax.pmean(jnp.mean(jax.nn.softmax(x @ params), axis=0), "batch")


def gathered(params, x):
    return lax.all_gather(jax.nn.softmax(x @ params), "batch")


def best_class_of_one(scores):
    return lax.pmean(jnp.argmax(scores), "batch")


@functools.partial(jax.pmap, axis_name="batch")
def sum_of_parts(x, w):
    return jax.nn.softmax(lax.psum(x @ w, "batch"))
