"""Modules of JAX that `import jax` does not load, and which libraries load them.

Measured with jax 0.10.2, flax 0.12.8, optax 0.2.8, equinox 0.13.8, orbax-checkpoint 0.12.8,
grain 0.2.18, chex 0.1.92 and dm-haiku 0.0.17: in a fresh process, what is an attribute of `jax`
after one import.
"""

from __future__ import annotations

NOT_LOADED = frozenset(
    ("jax.ad_checkpoint", "jax.collect_profile", "jax.example_libraries", "jax.extend",
     "jax.flatten_util", "jax.scipy.optimize", "jax.scipy.spatial", "jax.test_util",
     "jax.experimental.array_serialization", "jax.experimental.checkify",
     "jax.experimental.colocated_python", "jax.experimental.compute_on",
     "jax.experimental.custom_partitioning", "jax.experimental.jax2tf", "jax.experimental.jet",
     "jax.experimental.key_reuse", "jax.experimental.layout", "jax.experimental.mesh_utils",
     "jax.experimental.multihost_utils", "jax.experimental.ode", "jax.experimental.pallas",
     "jax.experimental.pjit", "jax.experimental.profiler", "jax.experimental.random",
     "jax.experimental.rnn", "jax.experimental.serialize_executable", "jax.experimental.shard_map",
     "jax.experimental.sparse", "jax.experimental.topologies", "jax.experimental.transfer",
     "jax.experimental.xla_metadata")
)  # fmt: skip

_FLAX = frozenset(
    ("jax.experimental.layout", "jax.experimental.shard_map", "jax.extend", "jax.flatten_util")
)
_ORBAX = _FLAX | {
    "jax.experimental.array_serialization",
    "jax.experimental.colocated_python",
    "jax.experimental.multihost_utils",
    "jax.experimental.pjit",
}
LOADED_BY = {
    "chex": frozenset(("jax.experimental.checkify", "jax.experimental.shard_map", "jax.test_util")),
    "haiku": frozenset(("jax.experimental.layout", "jax.experimental.shard_map", "jax.extend")),
    "optax": frozenset(("jax.flatten_util",)),
    "flax": _FLAX,
    "equinox": frozenset(("jax.experimental.shard_map", "jax.extend", "jax.flatten_util")),
    "flax.training.checkpoints": _ORBAX,
    "flax.training.orbax_utils": _ORBAX,
    "jax.experimental.array_serialization.pytree_serialization": frozenset(
        ("jax.experimental.multihost_utils",)
    ),
    "jax.experimental.checkify": frozenset(("jax.experimental.shard_map",)),
    "jax.experimental.colocated_python": frozenset(("jax.experimental.shard_map", "jax.extend")),
    "jax.experimental.ode": frozenset(("jax.flatten_util",)),
    "jax.experimental.pallas": frozenset(("jax.experimental.shard_map",)),
    "jax.experimental.topologies": frozenset(("jax.experimental.mesh_utils",)),
    "orbax": _ORBAX,
    "grain": _ORBAX,
}
"""By the first words of an import. Equinox also loads Lineax and others where they are there."""

MAY_LOAD = frozenset(
    ("blackjax", "brax", "clu", "craftax", "diffrax", "distrax", "dm_env", "evosax",
     "flashbax", "gymnax", "jaxopt", "jumanji", "kfac_jax", "keras", "levanter", "lineax",
     "mctx", "mujoco", "neural_tangents", "numpyro", "optimistix", "penzai", "qax", "qwix",
     "rlax", "seqio", "t5x", "tensorflow_probability", "tokamax", "tunix")
)  # fmt: skip
"""Libraries that use JAX, of which it was not measured what they load."""
