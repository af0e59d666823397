"""What `equinox.filter_jit` compiles, seen as its user wrote it: the function and its arguments.

Equinox jits one function of its own, which is given the arrays of a call in lists and all else as a
static value. From these the call is put together again, as Equinox does it while it traces. Its
names are known here alone; where they are others, its function is that of a library.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

from gotcha_sanitizer.hooks import internals

_MODULE, _JITTED = "equinox._jit", "fun_wrapped"
_PARTS = ("fun", "first", "rest")  # of the arguments
_CALL, _WRAPPER = "_call", "jit_wrapper"  # the function that calls it, and what was called
_NEAR = 4  # frames of ours, below the probe


@dataclass(frozen=True)
class Filtered:
    """A call of a filtered function. Holds the user's objects: for the moment only."""

    fun: Any
    is_static: bool  # the function: not a model that is called, which is an argument like others
    args: Mapping[str, Any]  # by position, with their names
    kwargs: Mapping[str, Any]


def filtered(jax: Any, call: internals.Call) -> Filtered | None:
    """None for a call of any other function, and where Equinox is not the one that we know."""
    code = getattr(call.fun, "__code__", None)
    if getattr(code, "co_name", "") != _JITTED:
        return None
    if getattr(call.fun, "__module__", "") != _MODULE:
        return None
    try:
        *dynamic, static = call.args
        arrays = {name: value for part in dynamic for name, value in part.items()}
        parts = zip(_PARTS, static, strict=True)
        fun, first, (rest, kwargs) = (_together(jax, arrays[name], held) for name, held in parts)
        is_static = jax.tree_util.treedef_is_leaf(static[0][1])
        args = (first, *rest)[:-1]  # the last one is a dummy
        named = dict(zip(_names(fun, len(args)), args, strict=True))
    except Exception:  # another Equinox, or a class of the user's that cannot be put together
        return None
    return Filtered(fun, is_static, named, kwargs)


def _together(jax: Any, arrays: Any, static: Any) -> Any:
    others, tree = static
    leaves = [a if b is None else b for a, b in zip(arrays, others, strict=True)]
    return jax.tree_util.tree_unflatten(tree, leaves)


def _names(fun: Any, count: int) -> list[str]:
    parameters = inspect.signature(fun).parameters.values()
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    names += [f"argument {n}" for n in range(len(names), count)]
    return names[:count]


def called_by(frame: FrameType | None) -> Any:
    """The function that Equinox is calling, from a probe on its call; None for all other calls."""
    for _ in range(_NEAR):
        if frame is None or frame.f_code.co_name == _CALL:
            break
        frame = frame.f_back
    wrapper = None if frame is None else frame.f_locals.get(_WRAPPER)
    return None if wrapper is None else internals.jitted_function(wrapper)
