"""What a program can see of arrays on the host: printed, and compared with and without hooks."""

import collections.abc
import contextlib
import copy
import gc
import inspect
import pickle
import time
import traceback
import weakref

import jax
import jax.numpy as jnp
import numpy as np

scalar, vector = jnp.float32(1.5), jnp.arange(4.0)
gone = jnp.ones(5)
gone.delete()
METHODS = [
    "__float__",
    "__int__",
    "__bool__",
    "__index__",
    "__complex__",
    "item",
    "tolist",
    "__array__",
    "__iter__",
    "__format__",
    "__str__",
    "__repr__",
    "__dlpack__",
    "block_until_ready",
    "__reduce__",
]
CALLS = {
    "float": float,
    "int": int,
    "bool": bool,
    "complex": complex,
    "index": lambda x: [1, 2][x],
    "item": lambda x: x.item(),
    "item of": lambda x: x.item(2),
    "tolist": lambda x: x.tolist(),
    "asarray": np.asarray,
    "array": lambda x: np.array(x, dtype=np.int32),
    "ufunc": lambda x: np.add(x, 1),
    "memoryview": lambda x: memoryview(x).tobytes(),
    "bytes": bytes,
    "format": lambda x: f"{x:.3f}",
    "str": str,
    "repr": repr,
    "list": list,
    "dlpack": np.from_dlpack,
    "block": lambda x: x.block_until_ready().shape,
    "blocks": lambda x: jax.block_until_ready([x, x])[0].shape,
    "device_get": jax.device_get,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "deepcopy": copy.deepcopy,
    "too many": lambda x: x.__float__(1),
    "unknown word": lambda x: x.block_until_ready(now=True),
    "base": lambda x: type(np.asarray(x).base).__name__,
    "same memory": lambda x: (
        np.asarray(x).__array_interface__["data"][0] == np.asarray(x).__array_interface__["data"][0]
    ),
}


def attempt(name, call, value):
    try:
        print(name, repr(call(value)))
    except Exception as error:
        frames = [(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
        print(name, type(error).__name__, error, frames, error.__context__, error.__cause__)


def surface():
    kind = type(scalar)
    for name in METHODS:
        method = getattr(kind, name)
        # A method of the extension module has no signature; ours has to have one.
        signature = "" if name == "block_until_ready" else inspect.signature(method)
        print(name, signature, hasattr(method, "__wrapped__"), method.__doc__)
    print(hasattr(kind, "__buffer__"), isinstance(scalar, collections.abc.Iterable))
    print(getattr(scalar.item, "__name__", ""), pickle.loads(pickle.dumps(scalar.tolist))())


def references():
    array = vector + 1
    watched = weakref.ref(array)
    for call in CALLS.values():
        with contextlib.suppress(Exception):
            call(array)
    del array
    for _ in range(1000):  # a sample of the memory may hold it for a moment
        if watched() is None:
            break
        time.sleep(0.01)
    print("freed", watched() is None, gc.collect() >= 0)


@jax.jit
def traced(x):
    return x + float(scalar)


for title, given in [("scalar", scalar), ("vector", vector), ("deleted", gone)]:
    for title_of_call, function in CALLS.items():
        attempt(f"{title} {title_of_call}", function, given)
attempt("bfloat16", np.asarray, jnp.bfloat16(2))
attempt("key", repr, jax.random.key(1))
attempt("traced", traced, vector)
surface()
references()
