"""The one place that knows names which JAX does not document, and reads what they hold.

Whether they are there, and what is lost without one, is in `self_tests`. All of them were read in
jax 0.10.2, 0.11.2 and 0.12.0.1. Nothing here is called or replaced: frames of JAX's own functions
are looked at while one of its public monitoring events is sent.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

# Public event names (jax.monitoring); the stage they time.
STAGES = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}
CACHE_HIT = "/jax/compilation_cache/cache_hits"
CACHE_MISS = "/jax/compilation_cache/cache_misses"
CACHE_REQUEST = "/jax/compilation_cache/compile_requests_use_cache"

# Names of functions whose frames are looked for.
CALLBACK = "_wrapped_callback"  # what a program runs for jax.debug.callback and its like
CALL = "cache_miss"  # a jitted call that is not on the fast path
TRACE = "_trace_for_jit"
TRANSFORMED = "call_impl_cache_miss"  # a jitted function evaluated by a transformation
GRADIENTS = {"value_and_grad_f": "value_and_grad", "grad_f": "grad", "jacfun": "jacfwd"}
RULES = {"_pjit_linearize": "grad", "_pjit_batcher": "vmap", "_pjit_transpose_fancy": "grad"}
PMAPPED = "_cached_shard_map.<locals>._fun"  # what jax.pmap compiles
OPTIONS = (
    "donate_argnums",
    "donate_argnames",
    "static_argnums",
    "static_argnames",
    "in_shardings_leaves",
    "out_shardings_leaves",
    "device",
    "backend",
    "keep_unused",
    "inline",
    "compiler_options_kvs",
)
PARAMETERS = "fun_signature"  # of what jit keeps about a function
FLAGS = "values"
CONTEXT_NAMES = "trace_context_names"
STARTED = "backends_are_initialized"
CLIENTS = "_backends"
ARRAY = "ArrayImpl"
LISTENERS = ("_scalar_listeners", "_event_duration_secs_listeners", "_event_listeners")


def nested(code: CodeType, name: str) -> CodeType:
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)


@dataclass(frozen=True)
class Call:
    """What a jitted function was called with. Holds the user's objects: for the moment only."""

    fun: Any
    info: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


def ahead_of_time(jax: Any) -> frozenset[int]:
    """The code, by identity, of what traces or compiles without a call, all of it public."""
    jitted = jax.jit(lambda: None)
    stages = jax.stages
    public = [jitted.lower, jitted.trace, jitted.eval_shape, jax.make_jaxpr(lambda: None)]
    public += [stages.Traced.lower, stages.Lowered.compile]
    codes = [getattr(inspect.unwrap(each), "__code__", None) for each in public]
    return frozenset(id(code) for code in codes if code is not None)


def call(frame: FrameType | None) -> Call | None:
    """The arguments of a jitted call, from the frame of its trace or of the call itself."""
    if frame is None:
        return None
    values = frame.f_locals
    if not {"fun", "args", "kwargs"} <= set(values):
        return None
    return Call(
        values["fun"], values.get("ji") or values.get("jit_info"), values["args"], values["kwargs"]
    )


def mapped(fun: Any) -> Any:
    """The user's function where `fun` is what jax.pmap made of it; else `fun`."""
    inner = jitted_function(fun)
    if getattr(inner, "__qualname__", "") != PMAPPED:
        return fun
    try:
        cells = dict(zip(inner.__code__.co_freevars, inner.__closure__, strict=True))
        return cells["fun"].cell_contents.f
    except (AttributeError, KeyError, TypeError, ValueError):
        return fun


def context(jax: Any) -> dict[str, str]:
    """The parts of JAX's tracing context that are set: flags, mesh, default devices."""
    config = jax._src.config
    try:
        values = config.trace_context()
        names = getattr(config, CONTEXT_NAMES, None)
        known = names() if names is not None else [f"part {i}" for i in range(len(values))]
    except AttributeError:  # gone: `self_test` says what is lost with it
        return {}
    return {name: str(value)[:80] for name, value in zip(known, values, strict=False)}


def flags(jax: Any) -> Mapping[str, Any]:
    """JAX's flags and what they are; empty where that cannot be seen."""
    return getattr(jax.config, FLAGS, {})


def settings(jax: Any) -> dict[str, str]:
    """All flags of JAX, and what is set for this thread: mesh, default device, precision."""
    return {str(name): str(value)[:80] for name, value in flags(jax).items()} | context(jax)


def options(info: Any) -> dict[str, str]:
    """The options that a function was jitted with; those left at their default are empty."""
    found = {}
    for name in OPTIONS:
        value = getattr(info, name, None)
        if value and not all("Unspecified" in type(v).__name__ for v in _items(value)):
            found[name.removesuffix("_leaves").removesuffix("_kvs")] = str(value)[:80]
    return found


def _items(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def static_names(info: Any, count: int) -> tuple[list[str], set[str]]:
    """The names of the positional arguments, and those that are static."""
    signature = getattr(info, PARAMETERS, None)
    names = [
        p.name
        for p in getattr(signature, "parameters", {}).values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    names += [f"argument {i}" for i in range(len(names), count)]
    static: set[str] = set(getattr(info, "static_argnames", ()) or ())
    for number in getattr(info, "static_argnums", ()) or ():
        index = number + count if number < 0 else number
        if 0 <= index < len(names):
            static.add(names[index])
    return names, static


def is_registered(jax: Any, listener: Any) -> bool | None:
    """True where one of JAX's lists of listeners holds it; None where not all can be seen."""
    lists = [getattr(jax._src.monitoring, name, None) for name in LISTENERS]
    if any(held is not None and listener in held for held in lists):
        return True
    return None if None in lists else False


def unregister(jax: Any, listener: Any) -> None:
    """Takes a listener out again; where the lists cannot be seen, it stays, and does nothing."""
    for name in LISTENERS:
        held = getattr(jax._src.monitoring, name, None)
        if held is not None and listener in held:
            held.remove(listener)


def process_index(jax: Any) -> int | None:
    """This host's number; None while it is not known: asking would start JAX's backend."""
    if getattr(jax._src.xla_bridge, CLIENTS, None):
        return jax.process_index()
    state = getattr(getattr(jax._src, "distributed", None), "global_state", None)
    connected = getattr(state, "client", None) is not None
    return getattr(state, "process_id", None) if connected else None


def hosts(jax: Any) -> tuple[int, int] | None:
    """This host's number, and how many there are; None while that is not known."""
    index = process_index(jax)
    if index is None:
        return None
    if getattr(jax._src.xla_bridge, CLIENTS, None):
        return index, jax.process_count()
    return index, getattr(jax._src.distributed.global_state, "num_processes", None) or 1


def call_code(jax: Any) -> CodeType | None:
    """The code of the function that runs when a jitted call is not on the fast path."""
    try:
        return nested(jax._src.pjit._cpp_pjit.__code__, CALL)
    except (AttributeError, StopIteration):
        return None


def jitted_type(jax: Any) -> type:
    """The type of jitted functions; jitting traces nothing."""
    return type(jax.jit(lambda: None))


def jitted_function(function: Any) -> Any:
    """The Python function inside a jitted one, without its wrappers."""
    for _ in range(20):
        inner = getattr(function, "__wrapped__", None) or getattr(function, "__func__", None)
        if inner is None:
            return function
        function = inner
    return function


def array_class(jax: Any) -> type | None:
    """The class of concrete arrays, found without making one."""
    try:
        return getattr(jax._src.array, ARRAY)
    except AttributeError:
        known = jax.Array.__subclasses__()
        return next((c for c in known if c.__module__.startswith("jaxlib")), None)


def backend_started(jax: Any) -> bool | None:
    """Whether JAX has started its backend, without starting it; None where that is not known."""
    try:
        return getattr(jax._src.xla_bridge, STARTED)()
    except AttributeError:
        return None


def static_self(call: Call) -> Any:
    """The object of a method that was jitted with its `self` static, or None."""
    names, static = static_names(call.info, len(call.args))
    return call.args[0] if call.args and names[0] in static else None


def evaluated(jax: Any, frames: list[FrameType]) -> Call | None:
    """The outermost jitted call, or gradient taken outside of jit, among the frames of an error."""
    for frame in frames:
        values = frame.f_locals
        if frame.f_code.co_name == CALL:
            return call(frame)
        if frame.f_code.co_name == "value_and_grad_f" and {"fun", "argnums"} <= set(values):
            aux = values.get("has_aux", False)
            fun = jax.value_and_grad(values["fun"], values["argnums"], has_aux=aux)
            return Call(fun, None, values["args"], values["kwargs"])
    return None
