"""What the generators of numpy draw: an array of a size, or one number."""

from __future__ import annotations

from gotcha_lint.analysis.values import HOST, Kind, Kwargs, Value, static
from gotcha_lint.facts.draws import ARRAYS, SIZE_AT, WHOLE


def drawn(name: str, args: tuple[Value, ...], kwargs: Kwargs) -> Value | None:
    """The result of a method of a generator; None where it is not known."""
    if name in ARRAYS:
        return HOST if args else None
    place = SIZE_AT.get(name)
    if place is None:
        return None
    size = kwargs.get("size", args[place] if place < len(args) else None)
    if size is not None:
        if size.kind in (Kind.STATIC, Kind.TUPLE, Kind.LIST):
            return HOST
        return HOST._replace(maybe=True)
    if name == "choice" or any(value.kind is not Kind.STATIC for value in args):
        return None
    return static("int") if name in WHOLE else static("float")
