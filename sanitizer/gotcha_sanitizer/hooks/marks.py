"""Values as marks: what is needed to see that one changed, without keeping it.

Code of the user's objects (`__eq__`, `__hash__`, `__repr__`) is run only where JAX has just run the
same, for static arguments, and never unguarded.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import itertools
import types
import weakref
import zlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from gotcha_sanitizer.events import Mark

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_DEPTH, _MOST, _WIDE = 4, 64, 60


class Serials:
    """Numbers for objects that are given once: `id` alone is used again after an object is gone."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, int]] = {}
        self._next = itertools.count(1)

    def of(self, value: Any) -> int:
        known = self._known.get(id(value))
        if known is not None and known[0]() is value:
            return known[1]
        number, key = next(self._next), id(value)
        try:
            self._known[key] = weakref.ref(value, lambda _: self._forget(key, number)), number
        except TypeError:  # no weak references: the address must do
            return -key
        return number

    def _forget(self, key: int, number: int) -> None:
        if (known := self._known.get(key)) is not None and known[1] == number:
            del self._known[key]


serials = Serials()


def mark(value: Any, names: frozenset[str] = frozenset(), depth: int = _DEPTH) -> Mark:
    """A value's mark. `names` are the attributes that matter of an object (all when empty)."""
    kind = type(value)
    if kind in _PLAIN:
        return Mark("value", _text(value), (kind.__name__, _key_of_plain(value)))
    if isinstance(value, (type, types.ModuleType)):
        return Mark("value", value.__name__, ("named", value.__name__, id(value)))
    if isinstance(value, enum.Enum):
        return Mark("value", str(value), (kind.__qualname__, value.name))
    if isinstance(value, types.FunctionType):
        return Mark("function", value.__qualname__, ("function", serials.of(value)), _made(value, depth))
    if isinstance(value, types.MethodType):
        return _method(value, names, depth)
    if isinstance(value, functools.partial):
        return _partial(value, depth)
    if _is_array(value):
        return _array(value)
    if depth and isinstance(value, (list, tuple, set, frozenset)):
        return _sequence(value, depth)
    if depth and isinstance(value, Mapping):
        return _mapping(value, depth)
    return _object(value, names, depth)


def static(value: Any) -> Mark:
    """The mark of a static argument: JAX tells them apart by hash and equality, so does this."""
    kind = type(value)
    simple = kind in _PLAIN or isinstance(
        value, (types.FunctionType, types.MethodType, functools.partial, enum.Enum, type)
    )
    if simple or kind.__eq__ is object.__eq__:
        return mark(value)
    inner = mark(value)
    if isinstance(value, (tuple, frozenset)) and inner.kind == "container":
        return inner
    try:
        return Mark("object", inner.text, (kind.__qualname__, hash(value)), inner.source)
    except Exception:  # the user's __hash__
        return inner


def source(function: types.FunctionType) -> tuple[object, ...]:
    """What is the same for each function object that one piece of source makes."""
    code = function.__code__
    place = () if _is_cell(code.co_filename) else (code.co_filename, code.co_firstlineno)
    return (code.co_qualname, digest(code), *place)


def _made(function: types.FunctionType, depth: int) -> tuple[object, ...]:
    """Source and contents of the closure: equal for functions that do the same."""
    cells = function.__closure__ or ()
    if not depth or not cells:
        return source(function)
    held = (mark(_content(cell), depth=depth - 1) for cell in cells[:_MOST])
    return (source(function), *(m.source or m.key for m in held))


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not yet assigned
        return None


def digest(code: types.CodeType) -> str:
    """Of what the code does, not of where it stands."""
    plain = tuple(c if not isinstance(c, types.CodeType) else digest(c) for c in code.co_consts)
    text = repr((code.co_code, code.co_names, code.co_varnames, plain)).encode("utf-8", "replace")
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def _is_cell(path: str) -> bool:
    """Notebook cells: a cell that is run again is another file."""
    return path.startswith("<") or "ipykernel_" in path


def _key_of_plain(value: Any) -> object:
    long = isinstance(value, (str, bytes)) and len(value) > 200
    return hash(value) if long else repr(value)  # repr: nan equals itself, 0.0 is not -0.0


def _text(value: Any) -> str:
    text = repr(value[:_WIDE]) if isinstance(value, (str, bytes)) else repr(value)
    return text if len(text) <= _WIDE else text[: _WIDE - 3] + "..."


def _method(value: types.MethodType, names: frozenset[str], depth: int) -> Mark:
    owner = mark(value.__self__, names, depth - 1) if depth else Mark("identity", "", id(value))
    function = value.__func__
    text = getattr(function, "__qualname__", "method")
    key = ("method", owner.key, serials.of(function))
    made = source(function) if isinstance(function, types.FunctionType) else text
    return Mark("method", text, key, (made, owner.source or owner.key))


def _partial(value: functools.partial, depth: int) -> Mark:
    inner = mark(value.func, depth=depth - 1) if depth else Mark("function", "", id(value.func))
    held = [mark(v, depth=max(depth - 1, 0)) for v in (*value.args, *value.keywords.values())]
    made = (inner.source or inner.key, *(m.source or m.key for m in held), *value.keywords)
    return Mark("partial", f"partial({inner.text})", ("partial", serials.of(value)), made)


def _is_array(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "shape") and hasattr(value, "ndim")


def _array(value: Any) -> Mark:
    text = f"{value.dtype}[{','.join(map(str, value.shape))}]"
    kind = type(value)
    if kind.__module__ == "numpy" and value.dtype != object:
        return Mark("array", text, (text, _sample(value)), text)
    return Mark("array", text, (text, serials.of(value)), text)


def _sample(array: Any, most: int = 256) -> int:
    """A checksum of at most `most` elements, spread over the array."""
    flat = array.reshape(-1) if array.flags.c_contiguous else array.ravel()
    return zlib.crc32(flat[:: max(1, flat.size // most)][:most].tobytes())


def _sequence(value: Any, depth: int) -> Mark:
    name = type(value).__name__
    if hasattr(value, "_fields"):
        items = dict(zip(value._fields, value, strict=False))
        return _items(f"{name}(...)", name, items, depth)
    if isinstance(value, (set, frozenset)):
        keys = frozenset(mark(v, depth=0).key for v in itertools.islice(value, _MOST))
        return Mark("container", f"{name} of {len(value)}", (name, len(value), keys))
    marks = [mark(v, depth=depth - 1) for v in itertools.islice(value, _MOST)]
    shown = ", ".join(m.text for m in marks[:4]) + (", ..." if len(value) > 4 else "")
    brackets = "[%s]" if isinstance(value, list) else "(%s)"
    return _container(name, brackets % shown, len(value), {str(i): m for i, m in enumerate(marks)})


def _mapping(value: Mapping[Any, Any], depth: int) -> Mark:
    items = {_text(k): v for k, v in itertools.islice(value.items(), _MOST)}
    return _items(f"{type(value).__name__} of {len(value)}", type(value).__name__, items, depth)


def _items(text: str, name: str, items: Mapping[str, Any], depth: int) -> Mark:
    return _container(
        name, text, len(items), {k: mark(v, depth=depth - 1) for k, v in items.items()}
    )


def _container(name: str, text: str, size: int, marks: Mapping[str, Mark]) -> Mark:
    key = (name, size, *((k, m.key) for k, m in marks.items()))
    made = (name, size, *((k, m.source or m.key) for k, m in marks.items()))
    return Mark("container", text[:_WIDE], key, made)


def _object(value: Any, names: frozenset[str], depth: int) -> Mark:
    kind = type(value)
    held = _attributes(value, names)
    marks = {k: mark(v, depth=depth - 1) for k, v in held.items()} if depth else {}
    made = (kind.__qualname__, *((k, m.source or m.key) for k, m in marks.items()))
    shown = ", ".join(f"{k}={m.text}" for k, m in itertools.islice(marks.items(), 3))
    text = f"{kind.__name__}({shown}{', ...' if len(marks) > 3 else ''})"
    return Mark("identity", text[:_WIDE], ("identity", serials.of(value)), made)


def _attributes(value: Any, names: frozenset[str]) -> dict[str, Any]:
    if is_dataclass(value):
        found = {f.name: getattr(value, f.name, None) for f in fields(value)}
    else:
        found = dict(getattr(value, "__dict__", {}))
    chosen = {k: v for k, v in found.items() if not names or k in names}
    return dict(itertools.islice(chosen.items(), _MOST))
