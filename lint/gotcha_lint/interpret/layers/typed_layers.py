"""Layers of nnx and Equinox, which hold their parameters, where their type is written."""

from __future__ import annotations

from collections.abc import Mapping

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import Object, Value, all_marks, only
from gotcha_lint.interpret.machine import Machine

_OF_FLAX = frozenset(
    ("DenseGeneral", "Einsum", "Conv", "ConvTranspose", "Embed", "LayerNorm", "RMSNorm",
     "GroupNorm", "BatchNorm", "InstanceNorm", "MultiHeadAttention")
)  # fmt: skip
_OF_LINEN = frozenset(("Dense", "ConvLocal", "MultiHeadDotProductAttention", "SelfAttention"))
_OF_NNX = frozenset(("Linear", "LinearGeneral"))
_OF_EQUINOX = frozenset(("Linear", "Conv", "Conv1d", "Conv2d", "Conv3d", "Embedding", "MLP"))
TYPED = _OF_FLAX | _OF_LINEN | _OF_NNX | _OF_EQUINOX
_LIBRARIES = {"flax.nnx": _OF_FLAX | _OF_NNX, "equinox.nn": _OF_EQUINOX}
HOLDS = "holds"  # its parameters
_WITH_STATE = frozenset(("flax.nnx.BatchNorm",))  # followed whatever its type


def typed_layer(
    machine: Machine,
    name: str,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    span: Span,
) -> Value | None:
    """`nnx.Linear(8, 8, dtype=dtype, rngs=rngs)`; None without a type that is written, or a state.

    The `dtype` of a layer of Equinox is that of its parameters.
    """
    library, _, short = name.rpartition(".")
    typed = bool({"dtype", "param_dtype"} & set(keywords)) or name in _WITH_STATE
    if short not in _LIBRARIES.get(library, ()) or not typed:
        return None
    options = dict(keywords)
    if library == "equinox.nn":
        options = {"param_dtype": keywords["dtype"]} if "dtype" in keywords else {}
    site = machine.allocate("layer", span, short)
    site.info.update(name=short, of=name, options=options, args=args)
    site.info[HOLDS] = True
    return only(Object(site, machine.origin(span)), all_marks((*args, *keywords.values())))
