"""The faulty line two calls deeper, in another file."""

from __future__ import annotations

import ast
import builtins

from benchmarks.planted.program import Program, marked
from benchmarks.planted.variants import _moving

FUTURE = "from __future__ import annotations\n"
BUILTINS = frozenset(dir(builtins))


def vary(program: Program) -> Program | None:
    files = dict(program.files)
    for path, text in marked(program):
        moved = _moving.movable(text)
        imports = _imports(text, moved.free - BUILTINS) if moved else None
        if moved is None or imports is None or FUTURE not in text:
            return None
        arguments = ", ".join(moved.arguments)
        line = "from .parts import outer\n"
        text = _moving.replaced(text, moved, f"outer({arguments})")
        files[path] = text.replace(FUTURE, f"{FUTURE}\n{line}", 1)
        inner = _moving.definition("inner", moved, program.files[path])
        outer = f"def outer({arguments}):\n    return inner({arguments})\n"
        files["parts.py"] = f"{imports}\n\n{outer}\n\n{inner}"
    return program._replace(files=files)


def _imports(text: str, names: frozenset[str]) -> str | None:
    """The lines that import the names; None if the file itself defines one."""
    lines, found = [], set()
    for node in ast.parse(text).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound = {(each.asname or each.name).split(".")[0] for each in node.names}
            if bound & names:
                lines.append(ast.unparse(node) + "\n")
                found |= bound
    return "".join(lines) if names <= found else None
