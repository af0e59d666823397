"""`dataclasses.replace` for the frozen dataclasses with slots of the engine, at half of its time.

A summary is put into a caller by copies of all that it says, which makes this the most frequent
call of a run. Nothing is checked: the classes have no `__post_init__`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

Copied = TypeVar("Copied")
_Slots = tuple[tuple[str, Callable[[Any], Any], Callable[[Any, Any], None]], ...]


def replaced(old: Copied, /, **changes: Any) -> Copied:
    """A copy with other values in the fields that are named; a name that is no field is ignored."""
    kind = type(old)
    new = object.__new__(kind)
    for name, get, put in _slots(kind):
        put(new, changes[name] if name in changes else get(old))
    return new


@cache
def _slots(kind: type) -> _Slots:
    names = [name for base in reversed(kind.__mro__) for name in getattr(base, "__slots__", ())]
    places = [(name, getattr(kind, name)) for name in names if not name.startswith("__")]
    return tuple((name, place.__get__, place.__set__) for name, place in places)
