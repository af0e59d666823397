import functools
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from flax import nnx
from jax import grad as gradient
from jax import value_and_grad


def pair(w, x):
    y = w * x
    return jnp.sum(y), y


def of_a_pair(w, x):
    return jax.grad(pair)(w, x)  # ! grad-missing-has-aux


def by_another_name(w, x):
    return gradient(pair, 0)(w, x)  # ! grad-missing-has-aux


def with_aux(w, x):
    return jax.grad(pair, has_aux=True)(w, x)


def with_aux_by_position(w, x):
    return jax.grad(pair, 0, True)(w, x)


def options(w, x, **more):
    return jax.grad(pair, **more)(w, x)


def told(w, x, aux):
    return jax.grad(pair, has_aux=aux)(w, x)


def of_a_lambda(w, x):
    step = value_and_grad(lambda w: (jnp.sum(w), x))  # ! grad-missing-has-aux
    return step(w)


def of_a_lambda_of_a_number(w, x):
    return value_and_grad(lambda w: jnp.sum(w * x))(w)


def of_its_first(w, x):
    return jax.grad(lambda w: pair(w, x)[0])(w)


def sometimes(w, x, full):
    def loss(w):
        if full:
            return jnp.sum(w * x), x
        return jnp.sum(w * x)

    return jax.grad(loss)(w)


def branches(w, x, full):
    def loss(w):
        if full:
            return jnp.sum(w * x), x
        return jnp.sum(w * x), None

    return jax.value_and_grad(loss)(w)  # ! grad-missing-has-aux


def nested_return(w, xs):
    def loss(w):
        def body(carry, x):
            return carry + jnp.sum(w * x), None

        return jax.lax.scan(body, 0.0, xs)[0]

    return jax.grad(loss)(w)


def three(w, x):
    return jnp.sum(w), x, w


def of_three_with_aux(w, x):
    return jax.grad(three, has_aux=True)(w, x)  # ! grad-missing-has-aux


def of_three_made_two(w, x):
    return jax.grad(lambda *a: (three(*a)[0], three(*a)[1:]), has_aux=True)(w, x)


def through_partial(w, x):
    return jax.grad(partial(pair, x=x))(w)  # ! grad-missing-has-aux


def partial_that_says_it(w, x):
    compute = partial(jax.value_and_grad, has_aux=True)
    return compute(pair)(w, x)


@partial(jax.value_and_grad, has_aux=True)
def decorated(w, x):
    return jnp.sum(w * x), x


@jax.value_and_grad  # ! grad-missing-has-aux
def decorated_without(w, x):
    return jnp.sum(w * x), x


@jax.jit
def compiled(w, x):
    return jnp.sum(w * x), x


def of_compiled(w, x):
    return jax.grad(compiled)(w, x)  # ! grad-missing-has-aux


def first_of(function):
    @functools.wraps(function)
    def wrapped(*args):
        return function(*args)[0]

    return wrapped


@first_of
def made_one(w, x):
    return jnp.sum(w * x), x


def of_made_one(w, x):
    return jax.grad(made_one)(w, x)


def jacobians(w, x):
    return jax.jacrev(pair)(w, x), jax.jacfwd(pair)(w, x), jax.vjp(pair, w, x)


def vector_of(w, x):
    return jax.linearize(pair, w, x)


class Model(eqx.Module):
    weight: jax.Array

    def loss(self, x):
        return jnp.sum(self.weight * x), x

    def gradients(self, x):
        return jax.grad(self.loss)(x)  # ! grad-missing-has-aux

    def gradients_with(self, x):
        return jax.grad(self.loss, has_aux=True)(x)


@eqx.filter_value_and_grad  # ! grad-missing-has-aux
def filtered(model, x):
    return jnp.sum(model(x)), x


@eqx.filter_value_and_grad(has_aux=True)
def filtered_with(model, x):
    return jnp.sum(model(x)), x


def of_nnx(model, x):
    def loss(model):
        y = model(x)
        return y.sum(), y

    return nnx.value_and_grad(loss)(model)  # ! grad-missing-has-aux


def of_nnx_with(model, x):
    def loss(model):
        y = model(x)
        return y.sum(), y

    return nnx.value_and_grad(loss, has_aux=True)(model)


def unknown(loss, w):
    return jax.grad(loss)(w)


def either(w, x, first):
    loss = pair if first else unknown
    return jax.grad(loss)(w, x)


def fails(w, x):
    with pytest.raises(TypeError):
        jax.grad(pair)(w, x)


def unpacked_inside(w, parts):
    def loss(w):
        return (*parts, w)

    return jax.grad(loss)(w)


def _generator(w, x):
    yield w, x


def of_a_generator(w, x):
    return jax.grad(_generator)(w, x)


def a_dict(w, x):
    def parts(w):
        return {"loss": jnp.sum(w * x), "size": x.size}

    return jax.grad(parts)(w)  # ! grad-missing-has-aux


def one_of_a_dict(w, x):
    def parts(w):
        return {"loss": jnp.sum(w * x), "size": x.size}

    return jax.grad(lambda w: parts(w)["loss"])(w)


def under_a_name(w, x):
    def loss(w):
        value = jnp.sum(w * x)
        both = (value, x)
        return both

    return jax.grad(loss)(w)  # ! grad-missing-has-aux


def handed_on(w, x):
    return jax.grad(lambda w: pair(w, x))(w)  # ! grad-missing-has-aux


def handed_on_with(w, x):
    return jax.grad(lambda w: pair(w, x), has_aux=True)(w)


def one_of_both(w, x):
    def loss(w):
        value, _ = pair(w, x)
        return value

    return jax.grad(loss)(w)


def whichever(first, second, w):
    def loss(w):
        return first(w)

    return jax.grad(loss)(w)


def a_parameter(w, both):
    def loss(w, given):
        return given

    return jax.grad(lambda w: loss(w, (w, both))[0].sum())(w)
