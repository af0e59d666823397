"""Records: dataclasses with slots that nothing changes, made and copied at little cost.

The engine makes millions of them. A dataclass that is frozen sets each of its fields through
`object.__setattr__`, which takes several times as long as an assignment. So a record is frozen for
the type checker alone, which reports each assignment to a field.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, TypeVar, dataclass_transform

Made = TypeVar("Made")
_Copier = Callable[[Any, dict[str, Any]], Any]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[Made]) -> type[Made]:
    """A dataclass with slots, compared and hashed by its fields, which are set once.

    The hash is kept: locations and values are looked up far more often than they are made.
    """
    made: Any = cls
    own_hash = cls.__dict__.get("__hash__")
    made.__annotations__["_hash"] = "int"
    made._hash = field(default=0, init=False, repr=False, compare=False)
    of = dataclass(slots=True, unsafe_hash=own_hash is None)(made)
    compute: Callable[[Any], int] = own_hash or of.__hash__

    def kept_hash(self: Any) -> int:
        known: int = self._hash
        if not known:
            known = self._hash = compute(self)
        return known

    def reduced(self: Any) -> tuple[Any, ...]:
        return of, tuple(getattr(self, name) for name in names)

    names = [each.name for each in fields(of) if each.init]
    of.__hash__ = kept_hash
    of.__reduce__ = reduced  # another process hashes texts in another way
    return of


def replaced(old: Made, /, **changes: Any) -> Made:
    """A copy of a record (or another dataclass with slots) with other values in some fields.

    As `dataclasses.replace`, which takes ten times as long: a summary is put into a caller by
    copies of all that it says, so this is the most frequent call of a run.
    """
    copied: Made = _copier(type(old), *changes)(old, changes)
    return copied


@cache
def _copier(kind: type, *changed: str) -> _Copier:
    """A function that copies records of this kind, all but these fields.

    Its text is made of the names of the fields, as dataclasses make their `__init__`.
    """
    names = [each.name for each in fields(kind) if each.init]
    unknown = set(changed).difference(names)
    if unknown:
        raise TypeError(f"{kind.__name__} has no field {', '.join(sorted(unknown))}")
    lines = ["def copy(old, changes):", "    new = make(kind)"]
    if len(names) < len(fields(kind)):
        lines.append("    new._hash = 0")
    for name in names:
        source = f"changes[{name!r}]" if name in changed else f"old.{name}"
        lines.append(f"    new.{name} = {source}")
    scope: dict[str, Any] = {"make": object.__new__, "kind": kind}
    exec("\n".join([*lines, "    return new"]), scope)
    copier: _Copier = scope["copy"]
    return copier
