"""Names that a function gives where a size must stand, which no traced argument can be."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.model import Function, Imported
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import arguments, dotted, walk
from gotcha_lint.facts.concrete import SIZES


def size_names(project: Project, function: Function) -> set[str]:
    """`n` of `jnp.arange(n)` and `range(n)`, in the function or one nested in it."""
    calls = (node for node in walk(function.node) if isinstance(node, cst.Call))
    return {
        name for call in calls for size in _sizes(project, function, call) for name in _bare(size)
    }


def _sizes(project: Project, function: Function, call: cst.Call) -> list[cst.BaseExpression]:
    positions, names = SIZES.get(_canonical(project, function, call.func), ((), ()))
    places, keywords, _ = arguments(call)
    found = [places[position] for position in positions if position < len(places)]
    return [arg.value for arg in (*found, *(keywords[n] for n in names if n in keywords))]


def _canonical(project: Project, function: Function, func: cst.CSTNode) -> str:
    name = dotted(func) or ""
    hows = lookup(function.scope, name)
    if hows is None:
        return f"builtins.{name}"
    _, dot, tail = name.partition(".")
    imported = next((how for how in hows if isinstance(how, Imported)), "")
    return project.facts.canonical(f"{imported}{dot}{tail}")


def _bare(node: cst.BaseExpression) -> list[str]:
    """The names that stand there themselves, or in a tuple: not `x` of `x.shape`."""
    if isinstance(node, cst.Tuple):
        return [name for element in node.elements for name in _bare(element.value)]
    return [node.value] if isinstance(node, cst.Name) else []
