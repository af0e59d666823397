import jax
import jax.numpy as jnp
import numpy as np
import optax

DECAY = 0.9995
RATE = 0.9


def type_called():
    return jnp.bfloat16(0.999)  # ! constant-lost-in-half-precision


def type_that_holds_it():
    return jnp.bfloat16(0.99), jnp.float16(0.999), jnp.float32(0.9999), jnp.bfloat16(1.0)


def with_type():
    return jnp.array(0.9999, dtype="float16")  # ! constant-lost-in-half-precision


def with_wider_type():
    return jnp.array(0.9999, dtype="float32"), jnp.asarray(0.9999), jnp.zeros((), jnp.bfloat16)


def by_name():
    decay = 0.9999
    return jnp.asarray(decay, jnp.bfloat16)  # ! constant-lost-in-half-precision


def by_name_of_a_sum():
    beta = 0.998 + 0.0
    return jnp.asarray(beta, jnp.bfloat16)


def of_the_module():
    return jnp.full((3,), DECAY, jnp.bfloat16)  # ! constant-lost-in-half-precision


def other_of_the_module():
    return jnp.full((3,), RATE, jnp.bfloat16)


def bound_here(DECAY):
    return jnp.full((3,), DECAY, jnp.bfloat16)


def given(decay):
    return jnp.asarray(decay, jnp.bfloat16)


def product(average, x):
    average = average.astype(jnp.bfloat16)
    return 0.999 * average + 0.001 * x  # ! constant-lost-in-half-precision


def product_of_floats(average, x):
    average = average.astype(jnp.float32)
    return 0.999 * average + 0.001 * x


def product_of_unknown(average, x):
    return 0.999 * average + 0.001 * x


def product_with_array(average):
    average = average.astype(jnp.bfloat16)
    return np.float32(0.999) * average


def other_number(average):
    average = average.astype(jnp.bfloat16)
    return 0.99 * average


def epsilon(x, scale):
    scale = scale.astype(jnp.float16)
    return x / (scale + 1e-8)  # ! constant-lost-in-half-precision


def epsilon_that_stays(x, scale):
    return x / (scale.astype(jnp.float16) + 1e-6), x / (scale.astype(jnp.bfloat16) + 1e-8)


@jax.jit
def traced(average, x):
    old = jnp.asarray(average, dtype=jnp.bfloat16)
    return old * DECAY + (1 - DECAY) * x  # ! constant-lost-in-half-precision


@jax.jit
def cast_afterwards(average, x):
    new = average * DECAY + (1 - DECAY) * x
    return new.astype(jnp.bfloat16)


def whole_numbers(x):
    return x.astype(jnp.float16) * 1 + 0, jnp.bfloat16(1), jnp.float16(0)


def settings():
    return optax.adam(1e-3, b2=0.999, mu_dtype=jnp.bfloat16)


def either(x, flag):
    if flag:
        x = x.astype(jnp.bfloat16)
    return 0.999 * x


def average_of_an_optimizer():
    return optax.ema(0.999, accumulator_dtype=jnp.bfloat16)  # ! constant-lost-in-half-precision


def average_of_an_optimizer_that_holds_it():
    short = optax.ema(0.99, accumulator_dtype=jnp.bfloat16)
    return short, optax.ema(0.999), optax.ema(0.999, accumulator_dtype=jnp.float32)


def momentum(rate):
    return optax.sgd(rate, 0.999, accumulator_dtype="bfloat16")  # ! constant-lost-in-half-precision


def momentum_that_it_holds(rate):
    return optax.sgd(rate, 0.9, accumulator_dtype="bfloat16"), optax.adam(0.999, mu_dtype="bfloat16")


def first_moment(rate):
    return optax.adamw(rate, b1=0.999, mu_dtype=jnp.bfloat16)  # ! constant-lost-in-half-precision


def second_moment(rate):
    return optax.adamw(rate, b2=0.999, mu_dtype=jnp.bfloat16)
