"""Functions of JAX that take pytrees."""

# Of these all further arguments are trees as well.
TAKE_MANY = frozenset({"jax.tree.map", "jax.lax.scan"})
# Name -> the position of the first tree among the arguments.
TAKE_TREES: dict[str, int] = {
    "jax.tree.map": 1,
    "jax.tree.leaves": 0,
    "jax.tree.flatten": 0,
    "jax.tree.structure": 0,
    "jax.tree.reduce": 1,
    "jax.tree.all": 0,
    "jax.device_put": 0,
    "jax.device_get": 0,
    "jax.block_until_ready": 0,
    "jax.lax.scan": 1,
    "optax.global_norm": 0,
    "optax.tree.norm": 0,
}
