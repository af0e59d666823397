"""What the layers of each library are given by position, in order, and what each of these is.

From the signatures of flax 0.12.8, equinox 0.13.8 and dm-haiku 0.0.17; a test compares the first
two with the libraries. A row ends with the last argument whose kind is known.
"""

from __future__ import annotations

LIBRARIES: set[str] = set()

_CELL = "kernel_init recurrent_kernel_init bias_init dtype param_dtype"
_LINEN_CONV = (
    "features kernel_size strides padding input_dilation kernel_dilation feature_group_count "
    "use_bias mask dtype param_dtype"
)
_LINEN_ATTENTION = (
    "num_heads dtype param_dtype qkv_features out_features broadcast_dropout dropout_rate "
    "deterministic"
)
_EQX_CONV = "in_channels out_channels kernel_size stride padding dilation groups use_bias"
_ROWS: dict[str, dict[str, str]] = {
    "flax.linen": {
        "BatchNorm": "use_running_average axis momentum epsilon dtype param_dtype use_bias",
        "Conv": _LINEN_CONV,
        "ConvLocal": _LINEN_CONV,
        "ConvTranspose": "features kernel_size strides padding kernel_dilation use_bias mask dtype",
        "Dense": "features use_bias dtype param_dtype",
        "DenseGeneral": "features axis batch_dims use_bias dtype param_dtype",
        "Dropout": "rate broadcast_dims deterministic",
        "Embed": "num_embeddings features dtype param_dtype",
        "GRUCell": f"features gate_fn activation_fn {_CELL}",
        "GroupNorm": "num_groups group_size epsilon dtype param_dtype use_bias use_scale",
        "InstanceNorm": "epsilon dtype param_dtype use_bias use_scale",
        "LSTMCell": f"features gate_fn activation_fn {_CELL}",
        "LayerNorm": "epsilon dtype param_dtype use_bias use_scale",
        "MultiHeadAttention": _LINEN_ATTENTION,
        "MultiHeadDotProductAttention": _LINEN_ATTENTION,
        "OptimizedLSTMCell": f"features gate_fn activation_fn {_CELL}",
        "RMSNorm": "epsilon dtype param_dtype use_scale",
        "RNN": "cell time_major return_carry reverse keep_order",
        "SelfAttention": _LINEN_ATTENTION,
        "SimpleCell": f"features activation_fn {_CELL}",
    },
    "flax.nnx": {
        "BatchNorm": "num_features",
        "Conv": "in_features out_features kernel_size strides",
        "ConvTranspose": "in_features out_features kernel_size strides",
        "Dropout": "rate",
        "Embed": "num_embeddings features",
        "GroupNorm": "num_features num_groups group_size",
        "InstanceNorm": "num_features",
        "LayerNorm": "num_features",
        "Linear": "in_features out_features",
        "LinearGeneral": "in_features out_features",
        "MultiHeadAttention": (
            "num_heads in_features qkv_features out_features num_kv_heads in_kv_features"
        ),
        "RMSNorm": "num_features",
    },
    "equinox.nn": {
        "BatchNorm": "input_size axis_name eps channelwise_affine momentum inference",
        **{f"Conv{n}d": _EQX_CONV for n in (1, 2, 3)},
        "Dropout": "p inference",
        "Embedding": "num_embeddings embedding_size",
        "GRUCell": "input_size hidden_size use_bias",
        "GroupNorm": "groups channels eps channelwise_affine",
        "LSTMCell": "input_size hidden_size use_bias",
        "LayerNorm": "shape eps use_weight use_bias",
        "Linear": "in_features out_features use_bias",
        "MultiheadAttention": "num_heads query_size key_size value_size output_size",
        "RMSNorm": "shape eps use_weight use_bias",
    },
    "haiku": {
        "BatchNorm": "create_scale create_offset decay_rate eps",
        "Conv1D": "output_channels kernel_shape",
        "Conv2D": "output_channels kernel_shape",
        "Conv3D": "output_channels kernel_shape",
        "Embed": "vocab_size embed_dim",
        "GroupNorm": "groups axis create_scale create_offset eps",
        "InstanceNorm": "create_scale create_offset eps",
        "LayerNorm": "axis create_scale create_offset eps",
        "Linear": "output_size with_bias",
        "MultiHeadAttention": "num_heads key_size",
        "RMSNorm": "axis eps",
    },
}
POSITIONAL: dict[str, tuple[str, ...]] = {
    f"{library}.{name}": tuple(words.split())
    for library, rows in _ROWS.items()
    for name, words in rows.items()
}
# By keyword alone come all other arguments of these.
CLOSED = "flax.nnx."

FLAG, SMALL, SIZE, TYPE, AXES, WINDOW, AXIS = (
    "flag", "small", "size", "type", "axes", "window", "axis",
)  # fmt: skip
_KINDS = {
    FLAG: (
        "use_bias use_scale use_running_average deterministic inference channelwise_affine "
        "use_weight with_bias create_scale create_offset time_major return_carry reverse "
        "keep_order broadcast_dropout"
    ),
    SMALL: "epsilon eps momentum rate dropout_rate p decay_rate",
    SIZE: (
        "features in_features out_features num_features num_embeddings num_heads num_groups "
        "group_size qkv_features input_size hidden_size in_channels out_channels groups channels "
        "embedding_size query_size key_size value_size output_size output_channels vocab_size "
        "embed_dim shape"
    ),
    TYPE: "dtype param_dtype",
    AXES: "broadcast_dims",
    WINDOW: "kernel_size kernel_shape",
    AXIS: "axis",
}
KIND_OF: dict[str, str] = {name: kind for kind, words in _KINDS.items() for name in words.split()}
# What a field counts -> words in the names of what is meant for it and for no other.
COUNTS: dict[str, frozenset[str]] = {
    "num_heads": frozenset(("heads", "nhead", "nheads")),
    "num_groups": frozenset(("groups",)),
    "groups": frozenset(("groups",)),
    "num_embeddings": frozenset(("vocab", "vocabulary")),
    "vocab_size": frozenset(("vocab", "vocabulary")),
}
# Divides the other: where both are numbers, the first is no larger.
DIVIDES: dict[str, str] = {
    "num_heads": "in_features query_size",
    "num_groups": "num_features",
    "groups": "channels",
}
