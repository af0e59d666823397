"""Which of the names of `private` this JAX has, and what is lost without each.

When a new JAX comes out, start here: a name that is gone is said in the report (`degraded:`)
and by `gotcha-sanitize doctor`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import CodeType
from typing import Any

from gotcha_sanitizer.hooks import internals, private
from gotcha_sanitizer.hooks.internals import nested

_CALLED = (private.FUN, private.ARGS, private.KWARGS)


@dataclass(frozen=True)
class Name:
    """A private name: which feature needs it, how to see that it is there, what is lost.

    `counts`: without it some compiles are not counted.
    """

    feature: str
    there: Callable[[Any], bool]
    lost: str
    counts: bool = False


def has(jax: Any, path: str, *names: str) -> bool:
    """What is at a path below `jax` has all of these attributes."""
    return all(hasattr(private.held(jax, path), name) for name in names)


def _locals(code: CodeType, *names: str) -> bool:
    return set(names) <= {*code.co_varnames, *code.co_cellvars, *code.co_freevars}


def _has_trace(jax: Any) -> bool:
    code = getattr(private.held(jax, private.PJIT), private.TRACE).__code__
    return _locals(code, *_CALLED, private.INFO_OF_TRACE, private.TRACED)


def _has_call(jax: Any) -> bool:
    code = nested(private.held(jax, private.CALL_IN).__code__, private.CALL)
    return _locals(code, *_CALLED, private.INFO_OF_CALL)


def _has_gradients(jax: Any) -> bool:
    public = {
        name: inspect.unwrap(getattr(jax, of)).__code__ for name, of in private.GRADIENTS.items()
    }
    return all(nested(code, name) for name, code in public.items())


def _has_stages(jax: Any) -> bool:
    module = vars(private.held(jax, private.STAGES_IN))
    return set(private.STAGES) <= {text for text in module.values() if isinstance(text, str)}


def _has_cache_events(jax: Any) -> bool:
    said: set[object] = set()
    for module in private.CACHE_IN:
        for value in vars(private.held(jax, module)).values():
            code = getattr(inspect.unwrap(value) if callable(value) else None, "__code__", None)
            said |= {text for text in getattr(code, "co_consts", ()) if isinstance(text, str)}
    return {private.CACHE_HIT, private.CACHE_MISS, private.CACHE_REQUEST} <= said


def _has_options(jax: Any) -> bool:
    return {*private.OPTIONS, private.PARAMETERS} <= set(private.held(jax, private.INFO)._fields)


def _has_host_number(jax: Any) -> bool:
    clients = getattr(private.held(jax, private.BACKENDS), private.CLIENTS)
    state = private.held(jax, private.HOSTS)
    return isinstance(clients, dict) and hasattr(state, private.HOST)


def _has_callback(jax: Any) -> bool:
    code = private.held(jax, private.CALLBACK_IN).__code__
    return nested(code, private.CALLBACK) is not None


def _has_pmap(jax: Any) -> bool:
    outer, _, inner = private.PMAPPED.partition(".<locals>.")
    closure = getattr(private.held(jax, private.PMAP), outer).__closure__
    inside = (cell.cell_contents for cell in closure)
    code = next(f.__code__ for f in inside if getattr(f, "__name__", "") == outer)
    return private.FUN in nested(code, inner).co_freevars


NAMES = (
    Name(
        "monitoring events",
        _has_stages,
        "traces, lowerings or compiles are not seen: neither seconds nor recompiles",
        counts=True,
    ),
    Name(
        "monitoring events of the cache",
        _has_cache_events,
        "programs of the persistent cache count as compiled; whether it stores any is not reported",
    ),
    Name(
        "frame _trace_for_jit",
        _has_trace,
        "no constants, stale captures, random keys used twice or missing gradients; cleared caches "
        "cannot be told from other reasons; arguments are read from the call",
    ),
    Name(
        "frame cache_miss",
        _has_call,
        "no reasons for recompiles without a retrace (placement, sharding, options), which are not "
        "counted either; no calls off the fast path; what fails in a call is not evaluated again",
        counts=True,
    ),
    Name(
        "frame _wrapped_callback",
        _has_callback,
        "operations that compile in functions which programs call back are not reported",
    ),
    Name(
        "fields of PjitInfo",
        _has_options,
        "static arguments are shown as arrays are, arguments by number, and other options of jit "
        "as an unknown reason",
    ),
    Name(
        "frame call_impl_cache_miss",
        lambda jax: any(
            isinstance(c, CodeType) and c.co_name == private.TRANSFORMED
            for c in private.held(jax, private.TRANSFORMED_IN).__code__.co_consts
        ),
        "eager transformations of jitted functions are not named",
    ),
    Name(
        "rules of jit",
        lambda jax: has(jax, private.PJIT, *private.RULES),
        "it is not reported which transformation of a jitted function ran outside of jit",
    ),
    Name(
        "frame value_and_grad_f",
        _has_gradients,
        "gradients taken outside of jit cannot be told from other operations",
    ),
    Name(
        "closure _cached_shard_map",
        _has_pmap,
        "functions under jax.pmap are shown as operations of JAX",
    ),
    Name(
        "monitoring listeners",
        lambda jax: has(jax, private.LISTENERS_IN, *private.LISTENERS),
        "the sanitizer cannot be stopped, and does not notice when its listeners are cleared",
    ),
    Name(
        "class of arrays",
        lambda jax: has(jax, private.ARRAYS, private.ARRAY),
        "the class of arrays is looked for among the subclasses of jax.Array",
    ),
    Name(
        "xla_bridge.backends_are_initialized",
        lambda jax: isinstance(internals.backend_started(jax), bool),
        "forks and settings after the start of the backend are seen only after a compile",
    ),
    Name(
        "number of this host",
        _has_host_number,
        "of several hosts each one prints",
    ),
    Name(
        "config.values",
        lambda jax: bool(internals.flags(jax)),
        "flags that are set too late, a GPU that is not used and a cache that stores nothing are "
        "not reported; pytest: of flags left changed, only those of the tracing context are seen",
    ),
    Name(
        "config.trace_context_names",
        lambda jax: bool(getattr(private.held(jax, private.CONFIG), private.CONTEXT_NAMES)()),
        "a changed flag or mesh is only called `context`, by number",
    ),
)


def self_test(jax: Any, names: Iterable[Name] = NAMES) -> dict[str, str]:
    """The features that do not work with this JAX, and what is lost with each."""
    missing = {}
    for name in names:
        try:
            there = name.there(jax)
        except Exception:  # the whole point: anything may be gone
            there = False
        if not there:
            missing[name.feature] = name.lost
    return missing
