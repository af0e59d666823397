"""Names that are gone, asked for with `hasattr` or `getattr`."""

import gc

import flax
import jax
import jax.numpy as jnp
from jax import lib


def cleanup():
    gc.collect()
    if hasattr(jax, "clear_backends"):  # ! removed-behind-hasattr
        jax.clear_backends()


def cleanup_if(available):
    if available and hasattr(jax, "clear_backends"):  # ! removed-behind-hasattr
        jax.clear_backends()


def asked_once():
    clear = getattr(jax, "clear_backends", None)
    if clear is not None:  # ! removed-behind-hasattr
        clear()


def asked_in_the_test():
    if (clear := getattr(jax, "clear_backends", None)) is not None:  # ! removed-behind-hasattr
        clear()


def platform():
    if hasattr(lib, "xla_bridge"):  # ! removed-behind-hasattr
        try:
            backend = lib.xla_bridge.get_backend()
            print(backend.platform_version)
        except RuntimeError:
            pass


def statistics(stats):
    stats["devices"] = jax.device_count()
    if getattr(jax.lib, "xla_client", None):  # ! removed-behind-hasattr
        from jax.lib import xla_client

        stats["client"] = xla_client.__name__
    return stats


def of_flax(params):
    if hasattr(flax, "optim"):  # ! removed-behind-hasattr
        print(flax.optim.Adam(1e-3).create(params))


def either():
    if hasattr(jax, "clear_backends"):
        jax.clear_backends()
    else:
        jax.clear_caches()


def new_way_first():
    if hasattr(jax, "clear_caches"):
        jax.clear_caches()
    elif hasattr(jax, "clear_backends"):
        jax.clear_backends()


def both_ways():
    jax.clear_caches()
    if hasattr(jax, "clear_backends"):
        jax.clear_backends()


def one_after_the_other():
    if hasattr(jax, "clear_backends"):
        jax.clear_backends()
    if hasattr(jax, "clear_caches"):
        jax.clear_caches()


def early(tree):
    if hasattr(jax, "tree_leaves"):
        return jax.tree_leaves(tree)
    return jax.tree.leaves(tree)


def by_version():
    if jax.__version_info__ >= (0, 5):
        gc.collect()
    if hasattr(jax, "clear_backends"):
        jax.clear_backends()


def default_before(tree):
    double = None
    if hasattr(jax, "tree_map"):
        double = jax.tree_map
    return double and double(jnp.sin, tree)


def key_with_a_default():
    found = {"platform": "unknown"}
    if hasattr(jax.lib, "xla_bridge"):
        found["platform"] = jax.lib.xla_bridge.get_backend().platform
    return found


def put_into_the_object(self):
    if hasattr(jax.lib, "xla_bridge"):
        self.platform = jax.lib.xla_bridge.get_backend().platform


def array_types():
    types = [jax.Array]
    if hasattr(jnp, "DeviceArray"):
        types.append(jnp.DeviceArray)
    return types


def always_on_now():
    if hasattr(jax.config, "enable_omnistaging"):
        jax.config.enable_omnistaging()


def too_old():
    if hasattr(jax, "clear_backends"):
        raise ImportError("a newer jax is needed")


def says_so():
    if hasattr(jax, "tree_map"):
        print("an old jax")


def still_there():
    if hasattr(jax, "clear_caches"):
        jax.clear_caches()


def by_a_default():
    getattr(jax, "clear_backends", jax.clear_caches)()


def missing():
    if not hasattr(jax, "clear_backends"):
        print("nothing to clear")


def of_something_else(jax):
    if hasattr(jax, "clear_backends"):
        jax.clear_backends()


def by_any_name(name):
    if hasattr(jax, name):
        jax.clear_backends()


if not hasattr(jax, "tree_map"):
    jax.tree_map = jax.tree.map

if hasattr(jax, "partial"):
    partial = jax.partial
