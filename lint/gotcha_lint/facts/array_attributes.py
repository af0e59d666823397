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
