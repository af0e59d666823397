"""Names that stand where a size must: no traced argument can be one, and each is a program."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.model import Function, Imported
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import arguments, dotted, names_in, walk
from gotcha_lint.facts.concrete import SIZES
from gotcha_lint.queries.places import long_loops


def size_names(project: Project, function: Function) -> set[str]:
    """`n` of `jnp.arange(n)` and `range(n)`, in the function or one nested in it."""
    calls = (node for node in walk(function.node) if isinstance(node, cst.Call))
    return {
        name for call in calls for size in _sizes(project, function, call) for name in _bare(size)
    }


def one_size_a_turn(call: Call) -> bool:
    """`f(x)` of an `x = jnp.ones(n)`, in a loop over each `n`: all turns need a compilation."""
    loops = long_loops(call)
    if len(loops) != 1 or not isinstance(loops[0].node, cst.For):
        return False
    given = {arg.value.value for arg in call.node.args if isinstance(arg.value, cst.Name)}
    sources = (
        bind.source
        for bind in call.body.of(Bind)
        if bind.name in given and loops[0] in bind.at.loops
    )
    made = (call.body.call_of(source) for source in sources)
    sizes = (size for each in made if each is not None for size in _given(each.name, each.node))
    return any(not loops[0].names.isdisjoint(names_in(size)) for size in sizes)


def _sizes(project: Project, function: Function, call: cst.Call) -> list[cst.BaseExpression]:
    return _given(_canonical(project, function, call.func), call)


def _given(name: str, call: cst.Call) -> list[cst.BaseExpression]:
    """What a call of the function of this name gives as sizes."""
    positions, names = SIZES.get(name, ((), ()))
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
