"""Names that arrays have: methods and attributes, read from `dir` of jax 0.10.2 and NumPy 2.4."""

from __future__ import annotations

METHODS = frozenset(
    ("T", "addressable_data", "addressable_shards", "all", "any", "argmax", "argmin",
     "argpartition", "argsort", "astype", "at", "aval", "base", "block_until_ready", "byteswap",
     "choose", "clip", "clone", "committed", "compress", "conj", "conjugate", "copy",
     "copy_to_host_async", "ctypes", "cumprod", "cumsum", "data", "delete", "device",
     "device_buffer", "device_buffers", "devices", "diagonal", "dot", "dtype", "dump", "dumps",
     "fill", "flags", "flat", "flatten", "format", "getfield", "global_shards", "imag",
     "is_deleted", "is_fully_addressable", "is_fully_replicated", "is_ready", "item", "itemsize",
     "mT", "max", "mean", "min", "nbytes", "ndim", "nonzero", "on_device_size_in_bytes",
     "partition", "platform", "prod", "ptp", "put", "ravel", "real", "repeat", "reshape", "resize",
     "round", "searchsorted", "setfield", "setflags", "shape", "sharding", "size", "sort",
     "squeeze", "std", "strides", "sum", "swapaxes", "take", "to_device", "tobytes", "tofile",
     "tolist", "trace", "traceback", "transpose", "unsafe_buffer_pointer", "var", "view",
     "weak_type")
)  # fmt: skip

# Habits from PyTorch, NumPy and lists: no array of JAX has these (tried on jax 0.10.2).
MISSING = {
    "set": "`x.at[index].set(value)` gives a changed copy",
    "add": "use `x + y`, or `x.at[index].add(y)`",
    "multiply": "use `x * y`, or `x.at[index].multiply(y)`",
    "append": "use `jnp.append`, or a list that is stacked at the end",
    "extend": "use `jnp.concatenate`",
    "numpy": "use `np.asarray(x)`",
    "cpu": "use `jax.device_get(x)`",
    "cuda": "use `jax.device_put(x)`",
    "detach": "use `jax.lax.stop_gradient(x)`",
    "backward": "use `jax.grad`",
    "requires_grad_": "use `jax.grad`",
    "unsqueeze": "use `jnp.expand_dims`",
    "permute": "use `x.transpose`",
    "masked_fill": "use `jnp.where`",
    "scatter": "use `x.at[index].set(value)`",
    "contiguous": "arrays need none",
    "float": "use `x.astype(jnp.float32)`",
    "long": "use `x.astype(jnp.int32)`",
    "exp": "use `jnp.exp`",
    "log": "use `jnp.log`",
    "sqrt": "use `jnp.sqrt`",
    "abs": "use `jnp.abs`",
    "tanh": "use `jnp.tanh`",
    "softmax": "use `jax.nn.softmax`",
    "matmul": "use `x @ y`",
    "norm": "use `jnp.linalg.norm`",
}
