"""Arrays baked into a program, with the variable that each came from.

The walk is memoised by identity, iterative and bounded: 24 nested, shared jits have 74 different
equations, but 2^24 paths to them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from gotcha_sanitizer.frames import module_of
from gotcha_sanitizer.hooks.capture import Read
from gotcha_sanitizer.hooks.marks import sample
from gotcha_sanitizer.values.parts import Constant

_SMALL = 64  # bytes
_EQUATIONS = 200_000
_LEAVES = 2000


def constants(jax: Any, jaxpr: Any, found: list[Read]) -> tuple[Constant, ...]:
    """The constants of a jaxpr and of all jaxprs inside, largest first."""
    arrays = {id(array): array for array in arrays_in(jaxpr)}
    if not arrays:
        return ()
    origins = _origins(jax, found, list(arrays.values()))
    made = [
        Constant(origins.get(key, ""), str(a.dtype), tuple(a.shape), int(a.nbytes), _digest(a))
        for key, a in arrays.items()
    ]
    return tuple(sorted(made, key=lambda c: -c.bytes))


def inner_jaxprs(jaxpr: Any) -> Iterator[Any]:
    """The jaxpr and each one inside it, once."""
    seen: set[int] = set()
    todo, steps = [jaxpr], 0
    while todo and steps < _EQUATIONS:
        closed = todo.pop()
        core = getattr(closed, "jaxpr", closed)
        if id(core) in seen:
            continue
        seen.add(id(core))
        yield closed
        for equation in core.eqns:
            steps += 1
            for value in equation.params.values():
                for item in value if isinstance(value, (tuple, list)) else (value,):
                    if hasattr(item, "eqns") or hasattr(item, "jaxpr"):
                        todo.append(item)


def arrays_in(jaxpr: Any) -> Iterator[Any]:
    for closed in inner_jaxprs(jaxpr):
        for value in getattr(closed, "consts", ()) or ():
            yield from _large(value)
        for equation in getattr(closed, "jaxpr", closed).eqns:
            for value in equation.invars:  # in one mode of JAX, constants are literals
                if hasattr(value, "val"):
                    yield from _large(value.val)


def _large(value: Any) -> Iterable[Any]:
    inner = getattr(value, "val", value)
    if not hasattr(inner, "shape") and hasattr(value, "shape"):
        inner = value
    size = getattr(inner, "nbytes", 0)
    return [inner] if isinstance(size, int) and size >= _SMALL and hasattr(inner, "dtype") else []


def _digest(array: Any) -> str:
    """Of numpy arrays: JAX copies those, so that identity does not name them."""
    if module_of(type(array)) == "numpy" and array.dtype != object:
        return f"{sample(array):08x}"
    return ""


def _origins(jax: Any, found: list[Read], arrays: list[Any]) -> dict[int, str]:
    by_id = {id(a): a for a in arrays}
    by_digest = {(tuple(a.shape), str(a.dtype), d): id(a) for a in arrays if (d := _digest(a))}
    named: dict[int, str] = {}
    for read in found:
        try:
            value = read.now()
        except Exception:  # gone, or an attribute of the user's that raises
            continue
        for path, leaf in _leaves(jax, value):
            key = id(leaf)
            if key not in by_id and hasattr(leaf, "dtype") and (d := _digest(leaf)):
                key = by_digest.get((tuple(leaf.shape), str(leaf.dtype), d), 0)
            if key in by_id:
                named.setdefault(key, read.label(path))
    return named


def _leaves(jax: Any, value: Any) -> Iterator[tuple[str, Any]]:
    """The arrays inside a captured value: leaves of a tree, or attributes of an object."""
    util = jax.tree_util
    try:
        flat = util.tree_flatten_with_path(value)[0]
    except Exception:  # an unregistered container
        flat = []
    for path, leaf in flat[:_LEAVES]:
        yield util.keystr(path), leaf
        for name, held in itertools.islice(getattr(leaf, "__dict__", {}).items(), _LEAVES):
            if hasattr(held, "dtype"):
                yield f"{util.keystr(path)}.{name}", held
