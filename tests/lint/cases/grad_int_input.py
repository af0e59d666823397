"""Gradients of trees that hold whole numbers, and of those that hold none."""

from dataclasses import asdict, astuple, dataclass

import jax
import jax.numpy as jnp


def loss(params, x):
    return jnp.mean((x @ params["w"]) ** 2)


def with_a_counter(x):
    params = {"w": jnp.ones((3, 2)), "step": jnp.zeros((), jnp.int32)}
    return jax.grad(loss)(params, x)  # ! grad-int-input


def of_the_tokens(tokens):
    def score(tokens, table):
        return table[tokens].sum()

    return jax.value_and_grad(score)(tokens, jnp.ones((9, 4)))  # ! grad-int-input


def of_a_python_number(x):
    return jax.grad(lambda n: x[0] * n)(3)  # ! grad-int-input


def of_the_table(tokens):
    def score(tokens, table):
        return table[tokens].sum()

    return jax.grad(score, argnums=1)(tokens, jnp.ones((9, 4)))


def beside_it(x):
    state = {"params": {"w": jnp.ones((3, 2))}, "step": jnp.zeros((), jnp.int32)}
    return jax.grad(loss)(state["params"], x)


def on_purpose(x):
    params = {"w": jnp.ones((3, 2)), "step": jnp.zeros((), jnp.int32)}
    return jax.grad(loss, allow_int=True)(params, x)


def of_a_python_float(x):
    return jax.grad(lambda n: x[0] * n)(3.0)


@dataclass
class Guess:
    amplitude: float = 2
    decay: float = 1


def wave(theta, t):
    return theta[0] * jnp.exp(-theta[1] * t)


def of_a_dataclass(t):
    values = asdict(Guess())
    theta = jnp.array([values[name] for name in sorted(values)])
    return jax.jit(jax.jacrev(wave))(theta, t)  # ! grad-int-input


def of_a_tuple(t):
    theta = jnp.array(astuple(Guess()))
    return jax.hessian(lambda theta: wave(theta, t).sum())(theta)  # ! grad-int-input


def of_floats(t):
    theta = jnp.array(astuple(Guess(2.0, 1.0)))
    return jax.jacfwd(wave)(theta, t), jax.jacrev(wave, argnums=1)(jnp.array([1, 2]), t)


slopes = of_floats(jnp.ones(3))
x, tokens = jnp.ones((4, 3)), jnp.array([1, 2])
wrong = with_a_counter, of_the_tokens(tokens), of_a_python_number
right = of_the_table(tokens), beside_it(x), on_purpose(x), of_a_python_float(x)
