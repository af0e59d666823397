"""What writes a checkpoint, and what reads it again: by the library that both belong to."""

from __future__ import annotations

LIBRARIES: set[str] = set()

ORBAX, FLAX, EQUINOX, PICKLE, NUMPY = "orbax", "flax", "equinox", "pickle", "numpy"
_PICKLES = ("pickle", "cloudpickle", "dill", "joblib")
SAVES = {
    "flax.training.checkpoints.save_checkpoint": FLAX,
    "flax.training.checkpoints.save_checkpoint_multiprocess": FLAX,
    "flax.serialization.to_bytes": FLAX,
    "flax.serialization.msgpack_serialize": FLAX,
    "equinox.tree_serialise_leaves": EQUINOX,
    "numpy.savez": NUMPY,
    "numpy.savez_compressed": NUMPY,
    "jax.numpy.savez": NUMPY,
} | {f"{module}.{name}": PICKLE for module in _PICKLES for name in ("dump", "dumps")}
RESTORES = {
    "flax.training.checkpoints.restore_checkpoint": FLAX,
    "flax.serialization.from_bytes": FLAX,
    "flax.serialization.msgpack_restore": FLAX,
    "equinox.tree_deserialise_leaves": EQUINOX,
    "numpy.load": NUMPY,
    "jax.numpy.load": NUMPY,
} | {f"{module}.{name}": PICKLE for module in _PICKLES for name in ("load", "loads")}
# Fields of a state: those that hold a random key, and types of what a constructor gives again.
KEY_FIELDS = frozenset(("rng", "rngs", "key", "rng_key", "prng_key"))
PLAIN = frozenset(("bool", "str", "Callable", "Module", "GradientTransformation", "ClassVar"))
