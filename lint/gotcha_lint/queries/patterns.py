"""The classes in the patterns of a `match` statement."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Body
from gotcha_lint.queries.classes import TypeName, named_types

# `case tuple(x)` captures the whole subject for these.
_BUILTIN_CAPTURE = frozenset(
    {
        "bool",
        "bytearray",
        "bytes",
        "dict",
        "float",
        "frozenset",
        "int",
        "list",
        "set",
        "str",
        "tuple",
    }
)


def pattern_types(body: Body, pattern: cst.MatchPattern) -> tuple[TypeName, ...]:
    """The classes that a pattern asks for, whatever else it asks."""
    match pattern:
        case cst.MatchClass(cls=cls):
            return named_types(body, cls)
        case cst.MatchAs(pattern=inner) if inner is not None:
            return pattern_types(body, inner)
        case cst.MatchOr(patterns=patterns):
            parts = [pattern_types(body, part.pattern) for part in patterns]
            return tuple(t for part in parts for t in part) if all(parts) else ()
    return ()


def pattern_accepts(body: Body, pattern: cst.MatchPattern) -> tuple[TypeName, ...]:
    """The classes all of whose instances a pattern matches."""
    match pattern:
        case cst.MatchClass(cls=cls, patterns=[], kwds=[]):
            return named_types(body, cls)
        case cst.MatchClass(cls=cst.Name(value=name), patterns=[one], kwds=[]):
            whole = isinstance(one.value, cst.MatchAs) and one.value.pattern is None
            return named_types(body, pattern.cls) if whole and name in _BUILTIN_CAPTURE else ()
        case cst.MatchAs(pattern=inner) if inner is not None:
            return pattern_accepts(body, inner)
        case cst.MatchOr(patterns=patterns):
            return tuple(t for part in patterns for t in pattern_accepts(body, part.pattern))
        case cst.MatchSequence(patterns=[cst.MatchStar()]):
            return "builtins.tuple", "builtins.list"  # not str and bytes, though they are sequences
        case cst.MatchMapping(elements=[]):
            return ("collections.abc.Mapping",)
    return ()
