"""Which arguments of a call stay the same object in each iteration of the loop around it.

Read from the source: a plain name that the loop neither binds nor mentions a second time.
"""

from __future__ import annotations

import ast

from gotcha_sanitizer.explain.turns import LOOPS, around


def unchanging(
    path: str, line: int, call: tuple[tuple[str, ...], tuple[str, ...]]
) -> frozenset[str]:
    """Names of such arguments; none where the line has no or several such calls.

    `call`: the names of the arguments that the call that is meant has by position, and by keyword.
    """
    nodes = around(path, line)
    loop = next((node for node in nodes if isinstance(node, LOOPS)), None)
    if loop is None:
        return frozenset()
    calls = [
        node for node in ast.walk(loop) if isinstance(node, ast.Call) and _is(node, line, call)
    ]
    if len(calls) != 1:
        return frozenset()
    mentions: dict[str, int] = {}
    for node in ast.walk(loop):
        if isinstance(node, ast.Name):
            mentions[node.id] = mentions.get(node.id, 0) + 1
    arguments = list(zip(call[0], calls[0].args, strict=True))
    arguments += [(word.arg, word.value) for word in calls[0].keywords if word.arg]
    return frozenset(
        name for name, value in arguments if isinstance(value, ast.Name) and mentions[value.id] == 1
    )


def _is(node: ast.Call, line: int, call: tuple[tuple[str, ...], tuple[str, ...]]) -> bool:
    plain = not any(isinstance(value, ast.Starred) for value in node.args)
    words = tuple(sorted(word.arg or "**" for word in node.keywords))
    here = node.lineno <= line <= (node.end_lineno or node.lineno)
    return plain and here and (len(node.args), words) == (len(call[0]), call[1])
