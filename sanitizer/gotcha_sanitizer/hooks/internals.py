"""What JAX keeps about its functions, calls, settings and hosts, read by the names of `private`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from gotcha_sanitizer.hooks import private


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
    if not {private.FUN, private.ARGS, private.KWARGS} <= set(values):
        return None
    info = values.get(private.INFO_OF_TRACE) or values.get(private.INFO_OF_CALL)
    return Call(values[private.FUN], info, values[private.ARGS], values[private.KWARGS])


def mapped(fun: Any) -> Any:
    """The user's function where `fun` is what jax.pmap made of it; else `fun`."""
    inner = jitted_function(fun)
    if getattr(inner, "__qualname__", "") != private.PMAPPED:
        return fun
    try:
        cells = dict(zip(inner.__code__.co_freevars, inner.__closure__, strict=True))
        return getattr(cells[private.FUN].cell_contents, private.MAPPED)
    except (AttributeError, KeyError, TypeError, ValueError):
        return fun


def context(jax: Any) -> dict[str, str]:
    """The parts of JAX's tracing context that are set: flags, mesh, default devices."""
    try:
        config = private.held(jax, private.CONFIG)
        values = getattr(config, private.CONTEXT)()
        names = getattr(config, private.CONTEXT_NAMES, None)
        known = names() if names is not None else [f"part {i}" for i in range(len(values))]
    except AttributeError:  # gone: `self_test` says what is lost with it
        return {}
    try:
        return dict(_as_text(tuple(known), tuple(values)))
    except TypeError:  # a part that has no hash
        return dict(_as_text.__wrapped__(tuple(known), tuple(values)))


@lru_cache(maxsize=64)
def _as_text(names: tuple[str, ...], values: tuple[object, ...]) -> tuple[tuple[str, str], ...]:
    """JAX looks its programs up by the same values: they are hashable, and rarely others."""
    return tuple((name, str(value)[:80]) for name, value in zip(names, values, strict=False))


def flags(jax: Any) -> Mapping[str, Any]:
    """JAX's flags and what they are; empty where that cannot be seen."""
    return getattr(jax.config, private.FLAGS, {})


def settings(jax: Any) -> dict[str, str]:
    """All flags of JAX, and what is set for this thread: mesh, default device, precision."""
    return {str(name): str(value)[:80] for name, value in flags(jax).items()} | context(jax)


def options(info: Any) -> dict[str, str]:
    """The options that a function was jitted with; those left at their default are empty."""
    found = {}
    for name in private.OPTIONS:
        value = getattr(info, name, None)
        if value and not all(private.UNSPECIFIED in type(v).__name__ for v in _items(value)):
            found[name.removesuffix("_leaves").removesuffix("_kvs")] = str(value)[:80]
    return found


def _items(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def static_names(info: Any, count: int) -> tuple[list[str], set[str]]:
    """The names of the positional arguments, and those that are static."""
    signature = getattr(info, private.PARAMETERS, None)
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


def _listeners(jax: Any) -> list[Any]:
    """JAX's lists of listeners; None for each that cannot be seen."""
    monitoring = private.held(jax, private.LISTENERS_IN)
    return [getattr(monitoring, name, None) for name in private.LISTENERS]


def is_registered(jax: Any, listener: Any) -> bool | None:
    """True where one of JAX's lists of listeners holds it; None where not all can be seen."""
    lists = _listeners(jax)
    if any(held is not None and listener in held for held in lists):
        return True
    return None if None in lists else False


def unregister(jax: Any, listener: Any) -> None:
    """Takes a listener out again; where the lists cannot be seen, it stays, and does nothing."""
    for held in _listeners(jax):
        if held is not None and listener in held:
            held.remove(listener)


def process_index(jax: Any) -> int | None:
    """This host's number; None while it is not known: asking would start JAX's backend."""
    if _has_clients(jax):
        return jax.process_index()
    state = _connection(jax)
    connected = getattr(state, private.CONNECTION, None) is not None
    return getattr(state, private.HOST, None) if connected else None


def hosts(jax: Any) -> tuple[int, int] | None:
    """This host's number, and how many there are; None while that is not known."""
    index = process_index(jax)
    if index is None:
        return None
    if _has_clients(jax):
        return index, jax.process_count()
    return index, getattr(_connection(jax), private.HOST_COUNT, None) or 1


def store(jax: Any) -> Any:
    """The client of the key-value store that the hosts of a run share, or None."""
    return getattr(_connection(jax), private.CONNECTION, None)


def shardings(info: Any) -> Iterator[Any]:
    """Those that a function was jitted with, for its arguments and results."""
    for name in private.SHARDINGS:
        yield from _items(getattr(info, name, None) or ())


def _has_clients(jax: Any) -> bool:
    return bool(getattr(private.held(jax, private.BACKENDS), private.CLIENTS, None))


def _connection(jax: Any) -> Any:
    """What JAX knows of the other hosts before its backend has started, or None."""
    try:
        return private.held(jax, private.HOSTS)
    except AttributeError:
        return None


def call_code(jax: Any) -> CodeType | None:
    """The code of the function that runs when a jitted call is not on the fast path."""
    try:
        return nested(private.held(jax, private.CALL_IN).__code__, private.CALL)
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
        return getattr(private.held(jax, private.ARRAYS), private.ARRAY)
    except AttributeError:
        known = jax.Array.__subclasses__()
        return next((c for c in known if c.__module__.startswith("jaxlib")), None)


def backend_started(jax: Any) -> bool | None:
    """Whether JAX has started its backend, without starting it; None where that is not known."""
    try:
        return getattr(private.held(jax, private.BACKENDS), private.STARTED)()
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
        if frame.f_code.co_name == private.CALL:
            return call(frame)
        known = {private.FUN, private.ARGNUMS} <= set(values)
        if frame.f_code.co_name == private.GRADIENT and known:
            aux = values.get(private.HAS_AUX, False)
            fun = jax.value_and_grad(values[private.FUN], values[private.ARGNUMS], has_aux=aux)
            return Call(fun, None, values[private.ARGS], values[private.KWARGS])
    return None


def traced(jax: Any, frames: list[FrameType]) -> Call | None:
    """The outermost jitted call of an error as the program that was traced for it.

    For functions that cannot run a second time, as that of `nnx.jit`.
    """
    for frame in frames:
        values = frame.f_locals
        if frame.f_code.co_name == private.CALL and private.PREPARED in values:
            params = getattr(values[private.PREPARED], private.PARAMS, {})
            jaxpr = params.get(private.TRACED)
            if jaxpr is None or private.FLAT not in values:
                return None
            fun = jax.extend.core.jaxpr_as_fun(jaxpr)
            return Call(fun, None, tuple(values[private.FLAT]), {})
    return None
