"""Runs one program in a process of its own, as users do, with the sanitizer if it is asked for.

    python child.py PROGRAM RESULT SHOWS

What is written down besides the sanitizer's own record: the exception as Python would name it, and
the values that the expression `SHOWS` looks at.
"""

from __future__ import annotations

import ast
import json
import sys
from importlib.machinery import SourceFileLoader
from typing import Any

_LONGEST = 90  # characters of a value that a page shows


def shown(expression: str, names: dict[str, Any]) -> dict[str, Any]:
    """Whether it is true, and the values that it looks at, where they are short."""
    if not expression:
        return {}
    tree = ast.parse(expression)
    texts = _sides(tree) or _variables(tree, names)
    values = {text: repr(eval(text, names)) for text in texts}
    short = {text: value for text, value in values.items() if _is_short(value)}
    return {"true": bool(eval(expression, names)), "values": short}


def _is_short(value: str) -> bool:
    return len(value) <= _LONGEST and "\n" not in value and " at 0x" not in value


def _sides(tree: ast.AST) -> list[str]:
    """Those of the first comparison, without its constants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            return [ast.unparse(side) for side in sides if not isinstance(side, ast.Constant)]
    return []


def _variables(tree: ast.AST, names: dict[str, Any]) -> list[str]:
    used = dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    return [name for name in used if name in names and not hasattr(names[name], "__name__")]


def failure(error: BaseException, name: str) -> dict[str, Any]:
    """Type and message, and the last line of the program that it went through."""
    kind = type(error)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return {"type": f"{module}{kind.__qualname__}", "message": str(error), "line": line}


def main() -> None:
    from gotcha_sanitizer._startup import start

    start()
    program, result, expression = sys.argv[1:]
    sys.argv = [program]
    names = vars(sys.modules["__main__"])
    names["__file__"] = program
    names["__loader__"] = SourceFileLoader("__main__", program)  # stays when `__file__` goes
    sys.path[0] = ""
    told: dict[str, Any] = {}
    try:
        with open(program, encoding="utf-8") as file:
            exec(compile(file.read(), program, "exec"), names)
        told["shown"] = shown(expression, names)
    except BaseException as error:
        told["error"] = failure(error, program)
        raise
    finally:
        with open(result, "w", encoding="utf-8") as file:
            json.dump(told, file)


if __name__ == "__main__":
    main()
