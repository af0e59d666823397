"""What classes outside of the project derive from, as `isinstance` sees it.

Direct bases only; classes that are registered with an ABC, or accepted by a metaclass, count too.
"""

from __future__ import annotations

LIBRARIES: set[str] = set()

DATACLASS = "dataclasses.dataclass"  # stands for all that `dataclasses.is_dataclass` accepts
NAMED_TUPLE = "typing.NamedTuple"

CLASSES: dict[str, tuple[str, ...]] = {
    "builtins.bool": ("builtins.int",),
    "builtins.int": ("numbers.Integral",),
    "builtins.float": ("numbers.Real",),
    "builtins.complex": ("numbers.Complex",),
    "numbers.Integral": ("numbers.Rational",),
    "numbers.Rational": ("numbers.Real",),
    "numbers.Real": ("numbers.Complex",),
    "numbers.Complex": ("numbers.Number",),
    "builtins.str": ("collections.abc.Sequence",),
    "builtins.bytes": ("collections.abc.Sequence",),
    "builtins.range": ("collections.abc.Sequence",),
    "builtins.tuple": ("collections.abc.Sequence",),
    "builtins.list": ("collections.abc.MutableSequence",),
    "collections.deque": ("collections.abc.MutableSequence",),
    "builtins.dict": ("collections.abc.MutableMapping",),
    "collections.OrderedDict": ("builtins.dict",),
    "collections.defaultdict": ("builtins.dict",),
    "collections.Counter": ("builtins.dict",),
    "builtins.set": ("collections.abc.MutableSet",),
    "builtins.frozenset": ("collections.abc.Set",),
    "types.MappingProxyType": ("collections.abc.Mapping",),
    "collections.abc.MutableMapping": ("collections.abc.Mapping",),
    "collections.abc.Mapping": ("collections.abc.Collection",),
    "collections.abc.MutableSequence": ("collections.abc.Sequence",),
    "collections.abc.Sequence": ("collections.abc.Reversible", "collections.abc.Collection"),
    "collections.abc.MutableSet": ("collections.abc.Set",),
    "collections.abc.Set": ("collections.abc.Collection",),
    "collections.abc.Collection": (
        "collections.abc.Sized",
        "collections.abc.Iterable",
        "collections.abc.Container",
    ),
    "collections.abc.Reversible": ("collections.abc.Iterable",),
    "collections.abc.Generator": ("collections.abc.Iterator",),
    "collections.abc.Iterator": ("collections.abc.Iterable",),
    "enum.IntEnum": ("builtins.int", "enum.Enum"),
    "enum.IntFlag": ("builtins.int", "enum.Flag"),
    "enum.Flag": ("enum.Enum",),
    "datetime.datetime": ("datetime.date",),
    NAMED_TUPLE: ("builtins.tuple",),
    "numpy.float64": ("numpy.floating", "builtins.float"),
    "numpy.floating": ("numpy.inexact", "numbers.Real"),
    "numpy.complexfloating": ("numpy.inexact", "numbers.Complex"),
    "numpy.inexact": ("numpy.number",),
    "numpy.integer": ("numpy.number", "numbers.Integral"),
    "numpy.signedinteger": ("numpy.integer",),
    "numpy.unsignedinteger": ("numpy.integer",),
    "numpy.number": ("numpy.generic",),
    "numpy.bool_": ("numpy.generic",),
    "numpy.str_": ("numpy.generic", "builtins.str"),
    "numpy.memmap": ("numpy.ndarray",),
    "numpy.ma.MaskedArray": ("numpy.ndarray",),
    "jax.core.Tracer": ("jax.Array",),
    "jax.sharding.NamedSharding": ("jax.sharding.Sharding",),
    "jax.sharding.SingleDeviceSharding": ("jax.sharding.Sharding",),
    "jax.tree_util.Partial": ("functools.partial",),
    "flax.core.FrozenDict": ("collections.abc.Mapping",),
    "flax.nnx.State": ("collections.abc.MutableMapping",),
    "flax.nnx.GraphState": ("collections.abc.MutableMapping",),
    "flax.nnx.Dict": ("flax.nnx.Module", "collections.abc.MutableMapping"),
    "flax.nnx.List": ("flax.nnx.Module", "collections.abc.MutableSequence"),
    "flax.nnx.Sequential": ("flax.nnx.Module",),
    "flax.nnx.Module": ("flax.nnx.Pytree",),
    "flax.nnx.Rngs": ("flax.nnx.Pytree",),
    "flax.nnx.Optimizer": ("flax.nnx.Pytree",),
    "flax.linen.Module": (DATACLASS,),
    "flax.struct.PyTreeNode": (DATACLASS,),
    "flax.training.train_state.TrainState": ("flax.struct.PyTreeNode",),
    "equinox.Module": (DATACLASS,),
    "haiku.LSTMState": (NAMED_TUPLE,),
    "haiku.Transformed": (NAMED_TUPLE,),
    "haiku.TransformedWithState": (NAMED_TUPLE,),
    "optax.GradientTransformation": (NAMED_TUPLE,),
    "optax.GradientTransformationExtraArgs": ("optax.GradientTransformation",),
}
for _variable in ["Param", "BatchStat", "Cache", "Intermediate", "RngState"]:
    CLASSES[f"flax.nnx.{_variable}"] = ("flax.nnx.Variable",)
for _rng in ["RngKey", "RngCount"]:
    CLASSES[f"flax.nnx.{_rng}"] = ("flax.nnx.RngState",)
for _layer in [
    "Linear",
    "Conv",
    "Embed",
    "BatchNorm",
    "LayerNorm",
    "RMSNorm",
    "GroupNorm",
    "Dropout",
    "MultiHeadAttention",
]:
    CLASSES[f"flax.nnx.{_layer}"] = ("flax.nnx.Module",)
for _width in ["int8", "int16", "int32", "int64"]:
    CLASSES[f"numpy.{_width}"] = ("numpy.signedinteger",)
    CLASSES[f"numpy.u{_width}"] = ("numpy.unsignedinteger",)
for _width in ["float16", "float32"]:
    CLASSES[f"numpy.{_width}"] = ("numpy.floating",)
for _state in [
    "AdaptiveGradClip",
    "AddDecayedWeights",
    "AddNoise",
    "ApplyIfFinite",
    "ClipByGlobalNorm",
    "Clip",
    "ConditionallyMask",
    "ConditionallyTransform",
    "Ema",
    "Empty",
    "Factored",
    "InjectHyperparams",
    "InjectStatefulHyperparams",
    "Lookahead",
    "Masked",
    "Monitor",
    "MultiSteps",
    "MultiTransform",
    "NonNegativeParams",
    "Partition",
    "ScaleByAdaDelta",
    "ScaleByAdam",
    "ScaleByAdan",
    "ScaleByAmsgrad",
    "ScaleByBacktrackingLinesearch",
    "ScaleByBelief",
    "ScaleByLBFGS",
    "ScaleByLion",
    "ScaleByNovograd",
    "ScaleByRStdDev",
    "ScaleByRms",
    "ScaleByRprop",
    "ScaleByRss",
    "ScaleBySM3",
    "ScaleBySchedule",
    "ScaleByTrustRatio",
    "ScaleByZoomLinesearch",
    "Scale",
    "Snapshot",
    "Trace",
    "ZeroNans",
]:
    CLASSES[f"optax.{_state}State"] = (NAMED_TUPLE,)
CLASSES |= {
    "optax.MaskedNode": (NAMED_TUPLE,),
    "optax.LookaheadParams": (NAMED_TUPLE,),
    "optax.ApplyEvery": (NAMED_TUPLE,),
}

# Decorators that make a class one for `dataclasses.is_dataclass`.
DATACLASS_DECORATORS = frozenset(
    [
        "dataclasses.dataclass",
        "flax.struct.dataclass",
        "chex.dataclass",
        "jax_dataclasses.pytree_dataclass",
        "flax.nnx.dataclass",
        "brax.base.dataclass",
    ]
)
