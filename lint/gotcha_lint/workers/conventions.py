"""What is traced without any visible transform: modules by convention, functions by comment."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.positions import Positions
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Trace
from gotcha_lint.analysis.tables import Key
from gotcha_lint.text.comments import Comment

_MODULES = {
    "flax.linen.Module": "a linen module",
    "flax.nnx.Module": "an nnx module",
    "equinox.Module": "an equinox module",
    "haiku.Module": "a haiku module",
}


def definition(number: int) -> int:
    """The site number that stands for a function's own `def`."""
    return -1 - number


def module_calls(project: Project) -> dict[Key, Any]:
    """`__call__` of linen, nnx, equinox and haiku modules: nearly always under someone's jit."""
    seeds: dict[Key, Any] = {}
    for path, summary in project.summaries.items():
        for number, cls in enumerate(summary.classes):
            kind = next((k for k in _MODULES if project.is_a((path, number), k)), None)
            method = cls.methods.get("__call__")
            if kind is None or method is None:
                continue
            why = f"__call__ of {_MODULES[kind]}"
            seeds["traced", (path, method)] = Trace(
                frozenset({"module"}), True, (((path, definition(method)), why),), soft=True
            )
    return seeds


def declarations(
    model: FileModel, positions: Positions, comments: list[tuple[int, Comment]], text: str
) -> dict[Key, Any]:
    """Seeds from `# gotcha: traced | host | static(...)` on a `def` or in the line above it."""
    seeds: dict[Key, Any] = {}
    for function in model.functions[1:]:
        start, _ = positions.span(function.node)
        assert not isinstance(function.node, cst.Module)
        end = positions.span(function.node.body)[0]
        before = text.rfind("\n", 0, max(start - 1, 0))
        header = (
            text.rfind("\n", 0, max(before, 0)),
            text.find("\n", end) if isinstance(function.node, cst.Lambda) else end,
        )
        for offset, comment in comments:
            if (
                comment.verb in ("allow", "allow-file", "shows")
                or not header[0] < offset < header[1]
            ):
                continue
            fid = (model.path, function.number)
            site = (model.path, definition(function.number))
            if comment.verb == "host":
                seeds["host", fid] = True
            static = frozenset(comment.names) if comment.verb == "static" else frozenset()
            if comment.verb in ("traced", "static"):
                old = seeds.get(("traced", fid))
                seeds["traced", fid] = Trace(
                    frozenset({"jit"}),
                    True,
                    ((site, f"declared traced: {function.name}"),),
                    direct=True,
                    static=static | (old.static if old else frozenset()),
                )
    return seeds
