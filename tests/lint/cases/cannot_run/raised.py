"""What is raised is no error, and an argument is given by name and in `**options`, too."""

import dataclasses

import jax
import jax.numpy as jnp


@jax.jit
def scaled(x, kind):
    if x.ndim > 2:
        raise "only matrices"  # ! cannot-run
    if x.ndim == 2:
        raise f"not {x.shape}"  # ! cannot-run
    if x.dtype == jnp.int32:
        raise "not %s" % x.dtype  # ! cannot-run
    if x.size == 3:
        raise NotImplemented  # ! cannot-run
    if x.size == 4:
        raise "not {}".format(x.size)  # ! cannot-run
    if x.size == 5:
        raise NotImplementedError
    if x.size == 6:
        raise ValueError("six") from None
    return x * 2


def load(name):
    message = "no such data set"
    if name == "mnist":
        return jnp.zeros(3)
    else:
        raise message  # ! cannot-run


def build(error):
    try:
        return jnp.ones(3)
    except ValueError as caught:
        raise caught
    finally:
        if error is not None:
            raise error


@dataclasses.dataclass
class Config:
    vocabulary: int
    width: int = 8
    depth: int = 2


def from_name(name, **options):
    return Config(vocabulary=100, width=len(name), **options)


def small(vocabulary=10):
    return from_name("small", vocabulary=vocabulary)  # ! cannot-run


def deep():
    return from_name("deep", depth=12)


def filled(**options):
    options.pop("width", None)
    return Config(vocabulary=100, width=3, **options)


def wide():
    return filled(width=12)


def other(**options):
    options = {**options, "depth": 3}
    return Config(vocabulary=1, width=3, **options)


def changed(**options):
    del options["width"]
    return Config(vocabulary=1, width=3, **options)


def changes():
    return changed(width=12)


def chosen(**options):
    if "width" in options:
        return Config(vocabulary=1, **options)
    return Config(vocabulary=1, width=3, **options)


def chooses():
    return chosen(width=3)


COMMON = dict(width=3, depth=4)


def twice():
    return Config(vocabulary=3, width=4, **COMMON)  # ! cannot-run


def doubled():
    first = {"width": 3}
    second = {"width": 3, "depth": 4}
    return Config(vocabulary=3, **first, **second)  # ! cannot-run


def apart(deep):
    options = {"width": 3}
    if deep:
        options["depth"] = 3
    else:
        del options["width"]
    return Config(vocabulary=3, width=3, **options)


def conditional(deep):
    options = {}
    if deep:
        options["depth"] = 3
    return Config(vocabulary=3, depth=3, **options)


def attempted():
    try:
        return Config(vocabulary=3, width=4, **COMMON)
    except TypeError:
        return None


small()
deep()
wide()
changes()
chooses()
x = scaled(jnp.ones(8), "a")
