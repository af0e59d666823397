"""Which function was jitted: its source, its object, and how it was made."""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

from gotcha_sanitizer.frames import file_of, module_of, owner
from gotcha_sanitizer.hooks.marks import serials, source
from gotcha_sanitizer.values.parts import Function, Site

_HOPS = 20
_HELD = ("f", "fun", "func", "fn", "_fun")  # where wrappers of libraries keep what they wrap


def identify(fun: Any, shown: str) -> tuple[Function, types.FunctionType | None]:
    """The function behind `fun`, and its Python function; `shown` is JAX's name for it."""
    kind, base = _unwrap(fun)
    name = shown.removeprefix("jit(").removesuffix(")")
    if base is None:
        key = (type(fun).__qualname__, name)
        return Function(name, key, serials.of(fun), "callable object", "library"), None
    code = base.__code__
    whose = owner(code.co_filename)
    if kind == "function":
        kind = _kind(base)
    if whose == "user":
        name = base.__qualname__.replace("<locals>.", "")
    key = source(base)
    if whose != "user":
        key = (name, *key)  # one wrapper of a library stands for many functions
    serial, bound = serials.of(fun), 0
    if isinstance(fun, types.MethodType):  # a new object at each `obj.method`, equal to the others
        serial, bound = hash((serials.of(fun.__self__), serials.of(fun.__func__))), serial
    site = Site(code.co_filename, code.co_firstlineno, base.__qualname__)
    return Function(name, key, serial, kind, whose, site, bound), base


def _kind(base: types.FunctionType) -> str:
    if base.__name__ == "<lambda>":
        return "lambda"
    return "nested function" if "<locals>" in base.__qualname__ else "function"


def _unwrap(fun: Any) -> tuple[str, types.FunctionType | None]:
    kind, base = "function", fun
    for _ in range(_HOPS):
        inner = getattr(base, "__wrapped__", None)
        if isinstance(base, functools.partial):
            kind, base = "partial", base.func
        elif isinstance(base, types.MethodType):
            kind, base = "bound method", base.__func__
        elif inner is not None:
            kind, base = ("transformed function" if kind == "function" else kind), inner
        elif isinstance(base, types.FunctionType):
            return kind, base
        elif (held := _held(base)) is not None:
            kind, base = "transformed function", held
        else:
            method = vars(type(base)).get("__call__")
            return "callable object", method if isinstance(method, types.FunctionType) else None
    return kind, base if isinstance(base, types.FunctionType) else None


def _held(value: Any) -> Any:
    """What a callable object of a library wraps."""
    if owner(file_of(sys.modules.get(module_of(type(value))))) == "user":
        return None
    for name in _HELD:
        inner = getattr(value, name, None)
        if isinstance(inner, (types.FunctionType, types.MethodType, functools.partial)):
            return inner
    return None
