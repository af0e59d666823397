"""Imports from within JAX and its family, and others."""

import jax
from jax.nn import initializers

try:
    from jax._src.lib import xla_client
except ImportError:
    xla_client = None


def of_core(x):
    from jax._src import core  # ! private-import

    return jax.jit(core.get_aval)(x)


def of_optax(grads):
    import optax._src.base as base  # ! private-import

    return jax.jit(base.identity().update)(grads)


def public(x):
    return initializers.lecun_normal()(jax.random.key(0), (x, x))


def ready_for_its_end():
    try:
        from jax._src import traceback_util
    except ImportError:
        return None
    return jax.jit(traceback_util.api_boundary)


def of_a_version(x):
    if jax.__version__ < "0.5":
        from jax._src.config import config
    else:
        from jax import config
    return config, jax.numpy.sum(x)


def a_private_name_of_a_public_module(x):
    from flax.linen.linear import _conv_dimension_numbers  # ! private-import

    return jax.jit(jax.numpy.sum)(x), _conv_dimension_numbers(x.shape)


def of_the_library_below(x):
    from jaxlib import xla_client  # ! private-import

    return jax.jit(jax.numpy.sum)(x), xla_client.Device


def a_version(x):
    from jaxlib import __version__
    from jaxlib.version import __version__ as again

    return jax.jit(jax.numpy.sum)(x), __version__, again
