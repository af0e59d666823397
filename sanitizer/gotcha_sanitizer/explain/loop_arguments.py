"""What becomes of the arguments of a call in the iterations of the loop around it.

Read from the source. One that stays the same object is a plain name that the loop neither binds nor
mentions a second time.
"""

from __future__ import annotations

import ast
import re

from gotcha_sanitizer.explain.turns import LOOPS, around

# Names of the arguments that the call that is meant has by position, and by keyword.
Arguments = tuple[tuple[str, ...], tuple[str, ...]]


def root(path: str) -> str:
    """The argument that a leaf belongs to: `weights` of `weights['w']`."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def unchanging(path: str, line: int, call: Arguments) -> frozenset[str]:
    """Names of such arguments; none where the line has no or several such calls."""
    loop, arguments = _arguments(path, line, call)
    mentions: dict[str, int] = {}
    for node in ast.walk(loop) if loop else ():
        if isinstance(node, ast.Name):
            mentions[node.id] = mentions.get(node.id, 0) + 1
    return frozenset(name for name, variable in arguments.items() if mentions[variable] == 1)


def replaced(path: str, line: int, call: Arguments) -> frozenset[str]:
    """Names of arguments whose variables the call's own statement binds, as a step does.

    What was given to the first call is gone in the second. Under-approximates: none where the line
    has no or several such calls.
    """
    loop, arguments = _arguments(path, line, call)
    bound = {
        node.id
        for statement in (ast.walk(loop) if loop else ())
        if isinstance(statement, ast.Assign)
        and statement.lineno <= line <= (statement.end_lineno or statement.lineno)
        for target in statement.targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return frozenset(name for name, variable in arguments.items() if variable in bound)


def _arguments(path: str, line: int, call: Arguments) -> tuple[ast.AST | None, dict[str, str]]:
    """The loop, and the variables that are the call's arguments, by the arguments' names."""
    loop = next((node for node in around(path, line) if isinstance(node, LOOPS)), None)
    if loop is None:
        return None, {}
    calls = [
        node for node in ast.walk(loop) if isinstance(node, ast.Call) and _is(node, line, call)
    ]
    if len(calls) != 1:
        return loop, {}
    given = list(zip(call[0], calls[0].args, strict=True))
    given += [(word.arg, word.value) for word in calls[0].keywords if word.arg]
    return loop, {name: value.id for name, value in given if isinstance(value, ast.Name)}


def _is(node: ast.Call, line: int, call: Arguments) -> bool:
    plain = not any(isinstance(value, ast.Starred) for value in node.args)
    words = tuple(sorted(word.arg or "**" for word in node.keywords))
    here = node.lineno <= line <= (node.end_lineno or node.lineno)
    return plain and here and (len(node.args), words) == (len(call[0]), call[1])
