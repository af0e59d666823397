import jax
from losses import counted, plain


def step(params, tokens):
    (loss, count), grads = jax.value_and_grad(counted)(params, tokens)  # ! grad-missing-has-aux
    return loss / count, grads


def step_with(params, tokens):
    (loss, count), grads = jax.value_and_grad(counted, has_aux=True)(params, tokens)
    return loss / count, grads


def step_of_a_number(params, tokens):
    return jax.value_and_grad(plain)(params, tokens)


def gradients_of(loss, params, tokens):
    return jax.grad(loss)(params, tokens)


def two(params, tokens):
    return gradients_of(plain, params, tokens), gradients_of(plain, 2 * params, tokens)
