"""Values as marks: what is needed to see that one changed, without keeping it.

Code of the user's objects (`__eq__`, `__hash__`, `__repr__`) is run only where JAX has just run the
same, for static arguments, and never unguarded.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import hashlib
import itertools
import os
import sys
import types
import weakref
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from gotcha_sanitizer.frames import file_of, module_of, owner
from gotcha_sanitizer.values.parts import SAMPLED, Mark

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_DEPTH, _MOST, _WIDE = 8, 64, 60
_NO_OBJECTS = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    functools.partial,
    list,
    tuple,
    set,
    frozenset,
    Mapping,
    enum.Enum,
)
_BUDGET = 1000  # values that one mark looks at


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


class _Shown:
    """Whether values may be shown: a report that is passed on must not tell them."""

    hidden = False
    _salt = os.urandom(8)

    def alias(self, text: str) -> str:
        """Tells values apart, and nothing else about them."""
        data = text.encode("utf-8", "replace")
        return hashlib.blake2b(data, digest_size=2, key=self._salt).hexdigest()


_shown = _Shown()


def source(function: types.FunctionType) -> tuple[object, ...]:
    """What is the same for each function object that one piece of source makes."""
    code = function.__code__
    place = () if _is_cell(code.co_filename) else (code.co_filename, code.co_firstlineno)
    return (code.co_qualname, digest(code), *place)


def digest(code: types.CodeType) -> str:
    """Of what the code does, not of where it stands."""
    plain = tuple(c if not isinstance(c, types.CodeType) else digest(c) for c in code.co_consts)
    text = repr((code.co_code, code.co_names, code.co_varnames, plain)).encode("utf-8", "replace")
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def _is_cell(path: str) -> bool:
    """Notebook cells: a cell that is run again is another file."""
    return path.startswith("<") or "ipykernel_" in path


def hide_values(hidden: bool) -> None:
    _shown.hidden = hidden


def mark(value: Any, names: frozenset[str] = frozenset(), depth: int = _DEPTH) -> Mark:
    """A value's mark. `names` are the attributes that matter of an object (all when empty)."""
    return _Marker(names).mark(value, depth)


def arrays(value: Any, names: frozenset[str]) -> Mark | None:
    """The arrays that an object of a class holds, by path, and those of `names` that are plain.

    None for what is no such object, and for one that holds no array. Counters and settings that
    the code does not name are left out: a model that is called uses its weights, but not all else.
    """
    kind = type(value)
    if kind in _PLAIN or isinstance(value, _NO_OBJECTS) or _is_array(value):
        return None
    held = tuple(itertools.islice(_arrays_in(_Marker(frozenset()).mark(value, _DEPTH)), _MOST))
    if not held:
        return None
    named = _Marker(names).mark(value, 2).parts if names else ()
    parts = (*held, *((name, part) for name, part in named if part.kind == "value"))
    many = "an array" if len(held) == 1 else f"{len(held)} arrays"
    key = tuple((name, part.key) for name, part in parts)
    return Mark("container", f"{kind.__name__} with {many}", key, key, parts)


def _arrays_in(found: Mark, path: str = "") -> Iterator[tuple[str, Mark]]:
    if found.kind == "array":
        yield path, found
    elif found.kind in ("container", "identity"):
        for name, part in found.parts:
            yield from _arrays_in(part, path + name)


def static(value: Any) -> Mark:
    """The mark of static data: JAX tells it apart by hash and equality, so does this."""
    return _Marker(frozenset(), hashed=True).mark(value, _DEPTH)


class _Marker:
    """Makes one mark; what is beyond its budget is only told apart by identity."""

    def __init__(self, names: frozenset[str], hashed: bool = False) -> None:
        self.names = names
        self.hashed = hashed  # JAX has just called the `__hash__` of the objects
        self.left = _BUDGET

    def mark(self, value: Any, depth: int) -> Mark:
        self.left -= 1
        if self.left < 0:
            depth = 0
        kind = type(value)
        if kind in _PLAIN:
            return Mark("value", _text(value), (kind.__name__, _key_of_plain(value)))
        if isinstance(value, (type, types.ModuleType)):
            return Mark("value", value.__name__, ("named", value.__name__, id(value)))
        if isinstance(value, enum.Enum):
            name = value._name_  # not `str`, not `.name`: both may be the user's code
            return Mark("value", f"{kind.__name__}.{name}", (kind.__qualname__, name))
        if isinstance(value, types.FunctionType):
            return self._function(value, depth)
        if isinstance(value, types.MethodType):
            return self._method(value, depth)
        if isinstance(value, functools.partial):
            return self._partial(value, depth)
        if _is_array(value):
            return _array(value)
        if depth and isinstance(value, (list, tuple, set, frozenset)):
            return self._sequence(value, depth)
        if depth and isinstance(value, Mapping):
            first = itertools.islice(value.items(), _MOST)
            items = {f"[{_name(k)}]": v for k, v in first}
            return self._container(f"{kind.__name__} of {len(value)}", kind, items, depth)
        return self._object(value, depth)

    def _function(self, value: types.FunctionType, depth: int) -> Mark:
        key = ("function", serials.of(value))
        cells = (value.__closure__ or ())[:_MOST] if depth else ()
        names = value.__code__.co_freevars
        parts = self._parts(
            {f"({n})": _content(c) for n, c in zip(names, cells, strict=False)}, depth
        )
        return Mark("function", value.__qualname__, key, (source(value), _sources(parts)), parts)

    def _method(self, value: types.MethodType, depth: int) -> Mark:
        owner = self.mark(value.__self__, depth - 1) if depth else Mark("identity", "", 0)
        function = value.__func__
        text = getattr(function, "__qualname__", "method")
        key = ("method", owner.key, serials.of(function))
        made = source(function) if isinstance(function, types.FunctionType) else text
        return Mark("method", text, key, (made, owner.source or owner.key))

    def _partial(self, value: functools.partial, depth: int) -> Mark:
        items = {" function": value.func}
        items |= {f" argument {i}": v for i, v in enumerate(value.args)}
        items |= {f" {k}=": v for k, v in value.keywords.items()}
        parts = self._parts(items, depth) if depth else ()
        text = f"partial({parts[0][1].text})" if parts else "partial"
        return Mark("partial", text, ("partial", serials.of(value)), _sources(parts), parts)

    def _sequence(self, value: Any, depth: int) -> Mark:
        kind = type(value)
        if isinstance(value, (set, frozenset)):
            keys = frozenset(self.mark(v, 0).key for v in itertools.islice(value, _MOST))
            return Mark("container", f"{kind.__name__} of {len(value)}", (kind.__name__, keys))
        if hasattr(value, "_fields"):
            items = {f".{n}": v for n, v in zip(value._fields, value, strict=False)}
            return self._container(f"{kind.__name__}(...)", kind, items, depth)
        items = {f"[{i}]": v for i, v in enumerate(itertools.islice(value, _MOST))}
        return self._container("", kind, items, depth)

    def _container(self, text: str, kind: type, items: Mapping[str, Any], depth: int) -> Mark:
        parts = self._parts(items, depth)
        key = (kind.__name__, *((name, m.key) for name, m in parts))
        shown = ", ".join(m.text for _, m in parts[:4]) + (", ..." if len(parts) > 4 else "")
        text = text or ("[%s]" if kind is list else "(%s)") % shown
        return Mark("container", text[:_WIDE], key, (kind.__name__, _sources(parts)), parts)

    def _object(self, value: Any, depth: int) -> Mark:
        kind = type(value)
        held = _attributes(value, self.names) if depth else {}
        parts = self._parts({f".{k}": v for k, v in held.items()}, depth)
        shown = ", ".join(f"{n[1:]}={m.text}" for n, m in parts[:3])
        text = f"{kind.__name__}({shown}{', ...' if len(parts) > 3 else ''})"
        made = (kind.__qualname__, _sources(parts))
        return Mark("identity", text[:_WIDE], self._key(value), made, parts)

    def _key(self, value: Any) -> tuple[object, ...]:
        if self.hashed and type(value).__eq__ is not object.__eq__:
            try:
                return (type(value).__qualname__, hash(value))
            except Exception:  # the user's `__hash__`
                pass
        return ("identity", serials.of(value))

    def _parts(self, items: Mapping[str, Any], depth: int) -> tuple[tuple[str, Mark], ...]:
        return tuple((name, self.mark(v, depth - 1)) for name, v in items.items())


def _sources(parts: tuple[tuple[str, Mark], ...]) -> tuple[object, ...]:
    return tuple((name, m.source or m.key) for name, m in parts)


def _key_of_plain(value: Any) -> object:
    long = isinstance(value, (str, bytes)) and len(value) > 200
    return hash(value) if long else repr(value)  # repr: nan equals itself, 0.0 is not -0.0


def _text(value: Any) -> str:
    if _shown.hidden:
        return f"{type(value).__name__} #{_shown.alias(repr(value))}"
    if type(value) is float:
        return f"{value:.6g}"
    return _cut(repr(value[:_WIDE]) if isinstance(value, (str, bytes)) else repr(value))


def _name(key: Any) -> str:
    return _cut(repr(key)) if type(key) in _PLAIN else type(key).__name__


def _cut(text: str) -> str:
    return text if len(text) <= _WIDE else text[: _WIDE - 3] + "..."


def _is_array(value: Any) -> bool:
    """An array of a library: of the user's own objects no attribute is asked for by name, as that
    may run code of theirs."""
    if not _in_library(module_of(type(value))):
        return False
    return hasattr(value, "dtype") and hasattr(value, "shape") and hasattr(value, "ndim")


@functools.lru_cache
def _in_library(module: str) -> bool:
    if module == "__main__":  # has no file in a notebook
        return False
    path = file_of(sys.modules.get(module))
    return not path or owner(path) != "user"


def _array(value: Any) -> Mark:
    text = f"{value.dtype}[{','.join(map(str, value.shape))}]"
    value = next(filter(_is_array, _slots(value)), value)
    kind = type(value)
    if module_of(kind) == "numpy" and value.dtype != object:
        return Mark("array", text, (SAMPLED, text, sample(value)), text)
    return Mark("array", text, (text, serials.of(value)), text)


def _slots(value: Any) -> Iterator[Any]:
    """What a variable of a library's module holds: it looks like its array, and is changed in
    place. No attribute is asked for: these are answered for the array."""
    for kind in type(value).__mro__ if module_of(type(value)).startswith("flax.") else ():
        for name in (*vars(kind).get("__slots__", ()), *vars(value)):
            with contextlib.suppress(AttributeError):
                yield object.__getattribute__(value, name)


def sample(array: Any, most: int = 256) -> int:
    """A checksum of at most `most` elements, spread over the array."""
    step = max(1, array.size // most)
    return zlib.crc32(array.flat[: step * most : step].tobytes())


def _attributes(value: Any, names: frozenset[str]) -> dict[str, Any]:
    if is_dataclass(value):
        found = {f.name: getattr(value, f.name, None) for f in fields(value)}
    else:
        found = dict(getattr(value, "__dict__", {}))
    chosen = {k: v for k, v in found.items() if not names or k in names}
    return dict(itertools.islice(chosen.items(), _MOST))


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not yet assigned
        return None
