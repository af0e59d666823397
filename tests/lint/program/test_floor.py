"""The lowest floor imports nothing from above it, in type checking neither, and has no circle."""

from __future__ import annotations

import ast
import graphlib
import pathlib
import subprocess
import sys

import gotcha_lint.program

FOLDER = pathlib.Path(gotcha_lint.program.__file__).parent
# What is known of texts and files outside of the floors; names of functions, by what they do
OUTSIDE = {"text.guard", "text.masking", "text.unwarned", "facts.random"}


def _imports(path: pathlib.Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found.add(node.module or "")
    return found


def test_imports_go_down_only() -> None:
    graph: dict[str, set[str]] = {}
    for path in FOLDER.glob("*.py"):
        names = _imports(path)
        own = {name for name in names if name.startswith("gotcha_lint.program.")}
        graph[f"gotcha_lint.program.{path.stem}"] = own
        for name in names - own:
            first, _, rest = name.partition(".")
            allowed = (
                rest in OUTSIDE if first == "gotcha_lint" else first in sys.stdlib_module_names
            )
            assert allowed, f"{path.name} imports {name}"
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) >= 10


def test_nothing_heavy_is_loaded() -> None:
    code = "import sys, gotcha_lint.program.parse; print(*sys.modules)"
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "gotcha_lint.program.lower" in loaded
    assert not {"libcst", "jax", "gotcha_lint.interpret"} & set(loaded)
