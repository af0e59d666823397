"""How many values functions of JAX return, for which a call says so (jax 0.10.2 to 0.12.0)."""

from __future__ import annotations

LIBRARIES: set[str] = set()

# Whatever they are given. A second word: the option with which they return another number.
FIXED = {
    "jax.vjp": (2, "has_aux"),
    "jax.jvp": (2, "has_aux"),
    "jax.linearize": (2, "has_aux"),
    "jax.lax.scan": (2, ""),
    "jax.lax.top_k": (2, ""),
    "jax.numpy.divmod": (2, ""),
    "jax.numpy.frexp": (2, ""),
    "jax.numpy.histogram": (2, ""),
    "jax.numpy.linalg.eig": (2, ""),
    "jax.numpy.linalg.eigh": (2, ""),
    "jax.numpy.linalg.lstsq": (4, ""),
    "jax.numpy.linalg.qr": (2, "mode"),
    "jax.numpy.linalg.slogdet": (2, ""),
    "jax.numpy.linalg.svd": (3, "compute_uv"),
    "jax.numpy.modf": (2, ""),
    "jax.flatten_util.ravel_pytree": (2, ""),
    "jax.tree.flatten": (2, ""),
    "jax.tree_util.tree_flatten": (2, ""),
    "equinox.partition": (2, ""),
}
# What the function returns that these return: `value_and_grad(f)(x)`.
OF_RESULT = frozenset(
    {"jax.value_and_grad", "equinox.filter_value_and_grad", "flax.nnx.value_and_grad"}
)
# As many as the second argument says, be it a number, or a list of the places of the cuts; by the
# name of that argument.
_SPLITS = ("split", "array_split", "hsplit", "vsplit", "dsplit")
PARTS = {
    f"{module}.{name}": "indices_or_sections"
    for module in ("jax.numpy", "numpy")
    for name in _SPLITS
}
KEYS = {"jax.random.split": ("num", 2)}  # ... or this many without it
EACH = frozenset({"jax.numpy.meshgrid", "jax.numpy.broadcast_arrays"})  # one for each argument
