"""Values and traces in words, for `--why` and for the reviewed dumps of the tests."""

from __future__ import annotations

from gotcha_lint.analysis.sites import Trace
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.analysis.varying import CALLED, PARAM

_WORDS = {
    Kind.NONE: "None",
    Kind.HOST: "numpy array",
    Kind.ARRAY: "array",
    Kind.KEY: "random key",
    Kind.TREE: "pytree of arrays",
    Kind.ITER: "iterator",
}

# What the marks of `varying.py` mean.
_VARIES = {
    "own-maximum": "the longest of its batch",
    "loop-variable": "counted by a loop",
    "range-step": "the steps of a range",
    "range-rest": "the rest of a range",
    "loader-rest": "the last batch of a loader",
    "selection": "rows that pass a test",
    "random": "drawn",
    CALLED: "other values at each call",
}


def value(of: Value) -> str:
    """One value in a few words; an empty text where nothing is known."""
    words = _core(of)
    if not words:
        return ""
    if of.tracer and of.kind not in (Kind.FUNCTION, Kind.CLASS, Kind.NAMED):
        words = f"traced {words}"
    if of.maybe:
        words += ", perhaps"
    if of.varying and not of.varying.startswith(PARAM):
        words += f", varies ({_varies(of.varying)})"
    return words


def _varies(mark: str) -> str:
    mark = mark.partition("|")[0]
    kind, _, name = mark.partition(":")
    return f"grows with `{name}`" if kind == "grown" else _VARIES.get(mark, mark)


def _core(of: Value) -> str:
    match of.kind:
        case Kind.UNKNOWN:
            return "value" if of.tracer else ""
        case Kind.STATIC:
            return f"static {of.of}".strip()
        case Kind.FUNCTION:
            via = " of ".join(v.name for v in reversed(of.via))
            return (
                f"{via} of a function"
                if via
                else f"function ({of.made})"
                if of.made
                else "function"
            )
        case Kind.NAMED:
            return of.of
        case Kind.CLASS:
            return f"class {of.of}"
        case Kind.OBJECT:
            return f"{of.of} object"
        case Kind.TUPLE:
            return "(" + ", ".join(value(item) or "?" for item in of.items) + ")"
        case Kind.LIST:
            inner = ", ".join(value(item) or "?" for item in of.items)
            return f"{of.of or 'container'}[{inner}]"
    return _WORDS[of.kind]


def trace(of: Trace | None) -> str:
    """Traced or not, under which transforms, and which parameters are static."""
    if of is None:
        return "not traced"
    words = "traced"
    if of.soft:
        words += " by convention"
    roles = ", ".join(sorted(of.roles))
    words += f" ({roles})"
    if of.static:
        words += f", static: {', '.join(sorted(of.static))}"
    return words
