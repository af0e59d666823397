"""Which variable of the user's holds the arrays of one shape: "list `history` in train.py".

Looked for from the names, not from the arrays: modules' globals, and locals of functions that run.
Asking the garbage collector who refers to an array takes tens of milliseconds in a JAX process.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections import deque
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any, NamedTuple

from gotcha_sanitizer.frames import file_of, module_of, owner
from gotcha_sanitizer.hooks.local_variables import variables
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.words import listed, short

Group = tuple[tuple[int, ...], str]

_MOST_NAMES = 4000
_TOGETHER = 4  # containers that are named together, where no single one holds enough
_DEPTH = 4  # containers and objects below a name, before a container that is long enough
_WIDE = 64  # attributes or items of one that are looked through
_OPTIMIZED = 0x1  # co_flags: the locals of a function, not of a module or class body


class Held(NamedTuple):
    """What holds arrays, in words, and the line that adds to it."""

    text: str
    site: Site | None


class _Container(NamedTuple):
    kind: str  # the name of its class
    variable: str
    items: int
    most: int  # the items that a bounded one can have; 0 for others
    identity: int
    path: str = ""
    code: CodeType | None = None


def holder(group: Group, at_least: int) -> Held | None:
    """The container with at least so many items whose newest ones have arrays of the group.

    Or the few that have as many together: a loop often keeps a loss, a norm and a rate.
    """
    few = max(at_least // _TOGETHER, 2)
    shares: dict[int, _Container] = {}  # by identity: a container may have several names
    for names, path, code in _scopes():
        for name, value in names[:_MOST_NAMES]:
            for found in _containers(name, value, group, few):
                if found.items >= at_least:
                    return _held([found], path, code)
                shares.setdefault(found.identity, found._replace(path=path, code=code))
    for bounded in (False, True):
        alike = [each for each in shares.values() if bool(each.most) is bounded]
        largest = sorted(alike, key=lambda each: -each.items)[:_TOGETHER]
        if sum(each.items for each in largest) >= at_least:
            return _held(largest, largest[0].path, largest[0].code)
    return None


def _held(found: list[_Container], path: str, code: CodeType | None) -> Held:
    kinds = {each.kind for each in found}
    kind = kinds.pop() if len(kinds) == 1 else "container"
    most = max(each.most for each in found)
    kind += "s" * (len(found) > 1) + (f" of at most {most:,}" if most else "")
    where = f"{code.co_qualname}, {short(path)}" if code else short(path)
    shown = listed([f"`{each.variable}`" for each in found])
    return Held(f"{kind} {shown} in {where}", _adding(found[0].variable, path, code))


def _adding(variable: str, path: str, code: CodeType | None) -> Site | None:
    """The first line from the function's on that adds to a container, or names it."""
    name = re.escape(re.split(r"[.\[]", variable)[0 if variable.endswith("]") else -1])
    adds = (
        rf"\b{name}\b(\[.*?\])?(\.(append|appendleft|extend|insert|add|update)\(|\s*\+=|\[.+\]\s*=)"
    )
    start = code.co_firstlineno if code else 1
    lines = list(enumerate(linecache.getlines(path), 1))[start - 1 :]
    for said in (adds, rf"\b{name}\b"):
        for number, line in lines:
            if re.search(said, line):
                return Site(path, number, code.co_qualname if code else "")
    return None


def _scopes() -> Iterator[tuple[list[tuple[str, Any]], str, CodeType | None]]:
    """(names and values, file, code) of the running functions and modules of the user's."""
    for frame in list(sys._current_frames().values()):
        walk: FrameType | None = frame
        while walk is not None:
            code = walk.f_code
            if code.co_flags & _OPTIMIZED and owner(code.co_filename) == "user":
                yield list(variables(walk).items()), code.co_filename, code
            walk = walk.f_back
    for module in list(sys.modules.values()):
        if (file := file_of(module)) and owner(file) == "user":
            yield list(vars(module).items()), file, None


def _containers(name: str, value: Any, group: Group, at_least: int) -> Iterator[_Container]:
    """Those below a name; a breadth-first walk that runs no code of the user's."""
    todo, seen = deque([(name, value, 0)]), {id(value)}
    while todo:
        path, value, depth = todo.popleft()
        kind = _container(value)
        items = kind.__len__(value) if kind is not None else 0
        long = kind is not None and items >= at_least
        if kind is not None and long and any(_has(i, group, 3) for i in _last(kind, value)):
            most = (deque.maxlen.__get__(value) or 0) if kind is deque else 0
            yield _Container(type(value).__name__, path, items, most, id(value))
        if depth == _DEPTH:
            continue
        for part, inner in _parts(value):
            if id(inner) not in seen:
                seen.add(id(inner))
                todo.append((path + part, inner, depth + 1))


def _container(value: Any) -> type | None:
    """The builtin type that a container is, or that its class is derived from."""
    return next((kind for kind in (list, dict, set, deque) if kind in type(value).__mro__), None)


def _last(kind: type, value: Any) -> list[Any]:
    """Three of the newest items of a container, read past what a class of the user's overrides."""
    if kind is dict:
        keys = dict.__reversed__(value)
        return [dict.__getitem__(value, key) for _, key in zip(range(3), keys, strict=False)]
    if kind is set:
        return [item for _, item in zip(range(3), set.__iter__(value), strict=False)]
    count = kind.__len__(value)  # a negative index would ask the object itself
    return [kind.__getitem__(value, count - n) for n in (1, 2, 3) if n <= count]


def _parts(value: Any) -> list[tuple[str, Any]]:
    """What is right below a value: items of a short container, attributes of a user's object."""
    if isinstance(value, dict):
        items = value.items() if type(value) is dict and len(value) <= _WIDE else ()
        return [(f"[{key!r}]", inner) for key, inner in items if isinstance(key, (str, int))]
    if type(value) in (list, tuple):
        return [(f"[{n}]", inner) for n, inner in enumerate(value[:_WIDE])]
    held = _attributes(value)
    return [(f".{name}", inner) for name, inner in list(held.items())[:_WIDE]]


def _attributes(value: Any) -> dict[str, Any]:
    file = file_of(sys.modules.get(module_of(type(value))))
    if isinstance(value, type) or owner(file) != "user":
        return {}
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:  # slots
        return {}
    return held if type(held) is dict else {}


def _has(item: Any, group: Group, depth: int) -> bool:
    """True where an item is an array of the group, or a small container or object with one."""
    kind = type(item)
    if module_of(kind).startswith("jaxlib"):
        shape, dtype = getattr(item, "shape", None), getattr(item, "dtype", None)
        return shape == group[0] and str(dtype) == group[1]
    if depth == 0:
        return False
    if isinstance(item, dict):
        inner = list(dict.values(item))[:_WIDE]
    elif isinstance(item, (list, tuple)):
        inner = [part for _, part in zip(range(_WIDE), item, strict=False)]
    else:
        inner = list(_attributes(item).values())[:_WIDE]
    return any(_has(part, group, depth - 1) for part in inner)
