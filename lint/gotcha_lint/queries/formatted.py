"""Places that turn a traced value into text: f-strings, `format`, `%`, `str` and `repr`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gotcha_lint.analysis.sites import Body, Call, Format, Operate, Place
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.queries.traced import guarded, tracers

_TEXTS = frozenset({"builtins.str", "builtins.repr", "builtins.format"})
_FIELD = re.compile(r"\{[^{}]*\}")
_PERCENT = re.compile(r"%%|%[^a-zA-Z%]*[a-zA-Z]")


class Formatted(NamedTuple):
    place: Place
    spec: bool  # asks for digits, which a tracer does not have: an error


def formatted(body: Body) -> Iterator[Formatted]:
    """All such places of a function."""
    for place in body.sites:
        match place:
            case Format() if _shows(place, (place.value,)):
                yield Formatted(place, place.spec)
            case Call() if _is_text(place) and _shows(place, (*place.args, *place.kwargs.values())):
                yield Formatted(place, _one_field(place))
            case Operate() if place.left.of == "str" and _percent(place):
                yield Formatted(place, _one_number(place.left.literal))


def shown(value: Value) -> bool:
    """A traced value, or one in a list, a tuple or a dict, would be seen in the text."""
    if value.kind is Kind.LIST and value.of == "dict" and not value.maybe:
        return any(map(shown, value.items))
    return any(tracers(value))


def _shows(place: Place, values: tuple[Value, ...]) -> bool:
    return any(map(shown, values)) and not guarded(place)


def _is_text(call: Call) -> bool:
    method = call.name == "static.format" and call.base is not None and call.base.of == "str"
    return not call.decorator and (method or call.name in _TEXTS)


def _percent(place: Operate) -> bool:
    """`"%s" % x`; the result of other operators on a text is no text."""
    left = place.left.literal
    written = isinstance(left, str) and _PERCENT.search(left) is not None
    return written and place.result.kind is not Kind.STATIC and _shows(place, (place.right,))


def _one_field(call: Call) -> bool:
    """`"{:.3f}".format(x)`: with more fields it is not plain which of them is traced."""
    text = call.base.literal if call.base is not None else None
    fields = _FIELD.findall(text) if isinstance(text, str) else []
    return bool(fields) and all(":" in field for field in fields)


def _one_number(text: object) -> bool:
    kinds = [found[-1] for found in _PERCENT.findall(text)] if isinstance(text, str) else []
    return bool(kinds) and all(kind in "defgiouxXEFG" for kind in kinds)
