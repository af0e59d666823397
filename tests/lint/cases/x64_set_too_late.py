import jax
import jax.numpy as jnp
from flax import nnx
from jax import config

config.update("jax_enable_x64", True)


def late():
    x = jnp.ones(3)
    config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return x + jnp.ones(3)


def early():
    jax.config.update("jax_enable_x64", True)
    return jnp.ones(3)


def off():
    x = jnp.ones(3)
    jax.config.update("jax_enable_x64", False)
    return x


def branches(flag):
    if flag:
        return jnp.ones(3)
    else:
        jax.config.update("jax_enable_x64", True)
        return jnp.zeros(3)


def both():
    x = jnp.ones(3)
    jax.config.update("jax_enable_x64", True)
    y = jnp.ones(3)
    jax.config.update("jax_enable_x64", False)
    return x, y


def init(key):
    return {"w": jax.random.normal(key, (3, 3)), "b": jnp.zeros(3)}


def table(rows):
    return [float(row) for row in rows]


class Agent:
    def __init__(self, seed):
        self.params = init(jax.random.key(seed))


class Settings:
    def __init__(self, seed):
        self.seed = seed
        self.key = jax.random.key(seed)


class Model(nnx.Module):
    def __init__(self, rngs):
        self.inner = nnx.Linear(2, 2, rngs=rngs)


def after_a_helper():
    params = init(jax.random.key(0))
    jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return params


def after_an_agent():
    agent = Agent(0)
    jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return agent


def after_a_model():
    model = Model(rngs=nnx.Rngs(0))
    jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return model


def after_numbers():
    noise = jax.random.normal(jax.random.key(0), (3,))
    jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return noise


def after_keys(rows):
    """Keys are the same with and without, and so are shapes."""
    settings, key = Settings(0), jax.random.key(0)
    key, other = jax.random.split(key)
    shapes = jax.eval_shape(init, key)
    numbers = table(rows)
    jax.config.update("jax_enable_x64", True)
    return settings, other, shapes, numbers


def asked_for(precise):
    params = init(jax.random.key(0))
    if precise:
        jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return params


def restarted(model):
    jax.config.update("jax_enable_x64", True)
    return model, init(jax.random.key(0))
