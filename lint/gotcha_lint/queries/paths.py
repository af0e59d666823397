"""Is a path relative? Read off the beginning of the text that it is made of."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Place
from gotcha_lint.analysis.syntax import literal
from gotcha_lint.queries.constants import constant

# What gives the path that its first argument begins with.
_JOINS = frozenset(
    [
        *("os.path.join", "os.fspath", "os.path.normpath", "builtins.str", "pathlib.Path"),
        *("pathlib.PurePath", "pathlib.PosixPath", "etils.epath.Path", "etils.epath.path.Path"),
    ]
)
_STEPS = 8


def begins_relative(place: Place, node: cst.BaseExpression) -> bool:
    """It certainly starts in the working directory: `"runs/1"`, `Path("runs") / name`."""
    text = _beginning(place, node, Flowing(place.body, place.at), _STEPS)
    return text is not None and is_relative(text)


def is_relative(text: str) -> bool:
    """No root, no drive, no scheme; of `"~"` and of variables somebody else takes care."""
    return bool(text) and text[0] not in "/\\~$%" and ":" not in text.partition("/")[0]


def _beginning(place: Place, node: cst.CSTNode, flowing: Flowing, steps: int) -> str | None:
    """The first characters of the text that an expression gives; None where they are not known."""
    if steps == 0:
        return None
    match node:
        case cst.SimpleString() | cst.ConcatenatedString():
            text = literal(node)
            return text if isinstance(text, str) else None
        case cst.FormattedString(parts=[cst.FormattedStringText(value=text), *_]):
            return text
        case cst.FormattedString(parts=[cst.FormattedStringExpression(expression=inner), *_]):
            return _beginning(place, inner, flowing, steps - 1)
        case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Divide()):
            return _beginning(place, left, flowing, steps - 1)
        case cst.Call(args=[first, *_]) if first.keyword is None and not first.star:
            call = place.body.call_of(node)
            known = call is not None and call.name in _JOINS
            return _beginning(place, first.value, flowing, steps - 1) if known else None
        case cst.Name(value=name):
            source, origin = flowing.origin(node)
            if source is not node:
                return _beginning(place, source, origin, steps - 1)
            written = constant(place.body, name)
            return None if written is None else _beginning(place, written, flowing, steps - 1)
    return None
