"""Are the shapes of what is put into a tree looked at, here or by who calls?"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import FileModel, Function
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.facts.paths import is_test


def looks_at_shapes(body: Body) -> bool:
    """The function mentions shapes or a check of structures, or it is kept by a check."""
    if _mentions_shapes(body.function) or _calls_a_check(body.model, body.function):
        return True
    callers = [site for site in body.usage.callers.get(body.id, ()) if not is_test(site[0])]
    return bool(callers) and all(
        path == body.model.path and _calls_a_check(body.model, body.model.functions[number])
        for path, number in callers
    )


def _calls_a_check(model: FileModel, function: Function) -> bool:
    """`raise_on_mismatch(target, restored)`"""
    return any(
        _only_raises(called) and any(map(_mentions_shapes, (called, *_called_by(model, called))))
        for called in _called_by(model, function)
    )


def _called_by(model: FileModel, function: Function) -> Iterator[Function]:
    """The functions of the file's own that it calls by their names."""
    names = {
        node.func.value
        for node in walk(function.node)
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name)
    }
    return (one for one in model.functions[1:] if one.cls is None and one.name in names)


def _only_raises(function: Function) -> bool:
    """It gives nothing back: what it is called for is to stop the program."""
    nodes = list(walk(function.node, into_functions=False))
    gives = any(isinstance(node, cst.Return) and node.value is not None for node in nodes)
    return not gives and any(isinstance(node, cst.Raise | cst.Assert) for node in nodes)


def _mentions_shapes(function: Function) -> bool:
    words = (node.value for node in walk(function.node) if isinstance(node, cst.Name))
    return any("shape" in word or "assert_trees" in word for word in words)
