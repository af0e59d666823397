from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from flax import nnx
from jax import value_and_grad


def loss(params, batch):
    return jnp.sum(params * batch)


def only_keywords(p, x):
    return jax.grad(loss)(params=p, batch=x)  # ! grad-kwarg-only


def one_by_position(p, x):
    return jax.grad(loss)(p, batch=x)


def by_name(p, x):
    gradient = value_and_grad(loss)
    return gradient(batch=x, params=p)  # ! grad-kwarg-only


def second(p, x):
    return jax.grad(loss, argnums=1)(p, batch=x)  # ! grad-kwarg-only


def second_by_position(p, x):
    return jax.grad(loss, argnums=1)(p, x)


def both(p, x):
    return jax.grad(loss, argnums=(0, 1))(p, batch=x)  # ! grad-kwarg-only


def unknown_function(f, p):
    return jax.grad(f)(params=p)  # ! grad-kwarg-only


def unknown_gradient(gradient, p):
    return gradient(params=p)


def compiled(p, x):
    step = jax.jit(jax.grad(loss))
    return step(params=p, batch=x)  # ! grad-kwarg-only


def compiled_loss(p, x):
    step = jax.jit(loss)
    return step(params=p, batch=x)


def inside_of_a_function(p, x):
    @jax.jit
    def step(params, batch):
        return jax.grad(loss)(params, batch)

    return step(params=p, batch=x)


def unpacked(p, x):
    both = (p, x)
    return jax.grad(loss)(*both, scale=1.0)


def unpacked_names(settings):
    return jax.grad(loss)(**settings)  # ! grad-kwarg-only


def unpacked_after_the_first(p, settings):
    return jax.grad(loss)(p, **settings)


def unpacked_after_all(parts, settings):
    return jax.grad(loss)(*parts, **settings)


@eqx.filter_value_and_grad
def filtered(model, x):
    return jnp.sum(model(x))


def of_equinox(model, x):
    return filtered(model=model, x=x)  # ! grad-kwarg-only


def of_equinox_by_position(model, x):
    return filtered(model, x=x)


def filled(p, x):
    return partial(jax.grad(loss), p)(batch=x)


def of_nnx(model, x):
    return nnx.grad(lambda model, x: model(x).sum())(model=model, x=x)


def of_equinox(model, x):
    return eqx.filter_grad(loss)(model, batch=x)


def negative(p, x):
    return jax.grad(loss, argnums=-1)(p, batch=x)


def told(p, x, argnums):
    return jax.grad(loss, argnums=argnums)(p, batch=x)


def nothing_given():
    return jax.grad(loss)


class Model:
    @jax.grad
    def slope(self, x):
        return jnp.sum(x)

    def use(self, x):
        return self.slope(x=x)


def fails(p):
    with pytest.raises(TypeError):
        jax.grad(loss)(params=p)


def of_jacobian(p, x):
    return jax.vmap(loss)(params=p, batch=x)


# What no line of the file calls is called by others, in whatever way is right.
of_another_file = jax.jit(jax.value_and_grad(loss))
second_of_another_file = jax.jit(jax.grad(loss, argnums=1))
both_of_another_file = jax.jit(jax.grad(loss, argnums=(0, 1)))
parts_of_another_file = jax.pmap(jax.grad(loss))
