"""Why a compile took long, from the equations of its program and the lines that made them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from gotcha_sanitizer.explain.turns import LOOPS, around
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.words import place, seconds, size

_LONG = 10.0  # seconds
_UNROLLED = 64  # equations of one line in a Python loop
_SHARE = 0.2  # of all equations
_FOLDED = 2**20  # bytes of constants


def reasons(program: Mapping[str, Any]) -> str:
    """In words; empty for a program that compiled fast, or of which nothing is known."""
    took = sum(program["seconds"].get(stage, 0.0) for stage in ("trace", "lower", "compile"))
    if took < _LONG:
        return ""
    told = [*_equations(program.get("equations")), *_constants(program.get("constants"))]
    head = f"`{program['function']}` took {seconds(took)} to compile"
    return f"{head}: {'; '.join(told)}" if told else ""


def _equations(known: Mapping[str, Any] | None) -> Iterator[str]:
    if known is None:
        return
    yield f"{known['count']:,} equations"
    for path, line, count in known["lines"]:
        if count < _SHARE * known["count"]:
            continue
        text = f"{count / known['count']:.0%} of them from {place(Site(path, line))}"
        loop = _loop(path, line) if count >= _UNROLLED else 0
        if loop:
            text += (
                f", in the Python loop of line {loop}, which is unrolled: "
                "`lax.scan` or `lax.fori_loop` compiles its body once"
            )
        yield text


def _loop(path: str, line: int) -> int:
    """The line of the Python loop around a line of the same function; 0 where there is none."""
    for node in around(path, line):
        if isinstance(node, LOOPS) and node.lineno < line:
            return node.lineno
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return node.lineno
    return 0


def _constants(known: Mapping[str, Any] | None) -> Iterator[str]:
    if known is not None and known["bytes"] >= _FOLDED:
        names = [f"`{each['variable']}`" for each in known["largest"] if each["variable"]]
        which = f" ({', '.join(names[:3])})" if names else ""
        held = f"{size(known['bytes'])} of constants{which}"
        yield f"{held}, which XLA may fold: pass them as arguments"
