"""Executables compiled ahead of time: what becomes of them, and who calls the function itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted, ends, parents, source_of, target_names, walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.ahead import COMPILER_OPTIONS, DUMP, LOOKS
from gotcha_lint.facts.paths import is_test
from gotcha_lint.rule import Example, Report, Rule, text_of


class LowerThenCallOtherwise(Rule):
    """Compiles a function ahead of time, and then calls it so that it compiles once more.

    ## What happens
    `step.lower(x, y).compile()` also serves `step(x, y)`, which then compiles nothing. It does not
    serve `step(x, y=y)`: an argument by its name makes another program, traced and compiled again.
    Nor does it with options, `compile({...})`: these are of the executable alone, which nothing
    calls.

    ## Instead
    Lower the function as it is called, or call the executable: `step = step.lower(x, y).compile()`.
    Options that are meant for all calls go to `jax.jit(step, compiler_options={...})`.

    ## Not reported
    Executables that are called, stored or handed on. Calls with `*args`, or with another number of
    arguments, or in a branch that the lowering does not lead to. Options by which the compiler
    dumps what it does. Tests.

    ## In a run
    Nothing: two programs of one function are not yet a pattern.
    """

    preview = True
    roots = frozenset({"lower"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, batch):
                    return params - 0.1 * batch


                params, batch = jnp.ones(3), jnp.ones(3)
                step.lower(params, batch).compile()  # ! lower-then-call-otherwise
                params = step(params, batch=batch)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, batch):
                    return params - 0.1 * batch


                params, batch = jnp.ones(3), jnp.ones(3)
                step.lower(params, batch=batch).compile()
                params = step(params, batch=batch)
            """,
            compiles=1,
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, batch):
                    return params - 0.1 * batch


                params, batch = jnp.ones(3), jnp.ones(3)
                options = {"xla_cpu_enable_fast_math": True}
                step.lower(params, batch).compile(options)  # ! lower-then-call-otherwise
                params = step(params, batch)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, batch):
                    return params - 0.1 * batch


                params, batch = jnp.ones(3), jnp.ones(3)
                options = {"xla_cpu_enable_fast_math": True}
                compiled = step.lower(params, batch).compile(options)
                params = compiled(params, batch)
            """,
            compiles=1,
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        found = _lowered(site)
        if found is None or is_test(site.body.model.path):
            return
        lower, function = found
        end = _fate(site)
        calls = _calls_of(site.body, function) if end != _RUN else []
        if end == _LEFT and _has_options(site):
            others, why = calls, "without these options"
        else:
            others = _otherwise(lower.node, calls)
            why = "it gives other arguments by name than `lower`"
        other = next((call for call in others if _may_follow(site.body, site.node, call)), None)
        if other is not None:
            yield Report(
                site.node,
                f"this executable is never called, and `{source_of(other, 40)}` compiles again: "
                f"{why}",
                places=((other, "called here"),),
            )


class _Style(NamedTuple):
    """How arguments are given; a program belongs to one such way."""

    positional: int
    names: frozenset[str]
    known: bool

    def is_but(self, other: _Style) -> bool:
        """The same arguments, of which one of both gives more by name."""
        if not (self.known and other.known) or self == other:
            return False
        nested = self.names <= other.names or other.names <= self.names
        return nested and self.positional + len(self.names) == other.positional + len(other.names)


def _style(call: cst.Call) -> _Style:
    named = frozenset(arg.keyword.value for arg in call.args if arg.keyword is not None)
    starred = any(arg.star for arg in call.args)
    return _Style(len(call.args) - len(named), named, not starred)


def _otherwise(lower: cst.Call, calls: list[cst.Call]) -> list[cst.Call]:
    """The calls in another style, where none is in the style of `lower`."""
    given, styles = _style(lower), [_style(call) for call in calls]
    if given in styles:
        return []
    return [call for call, style in zip(calls, styles, strict=True) if given.is_but(style)]


def _lowered(site: Call) -> tuple[Call, cst.BaseExpression] | None:
    """The `lower` that this `compile` completes, and the jitted function that is lowered."""
    func = site.node.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "compile":
        return None
    lower = site.body.call_of(Flowing(site.body, site.at).resolve(func.value))
    if lower is None or lower.base is None or not site.body.eager:
        return None
    jits = any(via.name in BOUNDARIES and not via.filtered for via in lower.base.via)
    match lower.node.func:
        case cst.Attribute(value=function, attr=cst.Name(value="lower")):
            return (lower, function) if lower.base.kind is Kind.FUNCTION and jits else None
    return None


def _has_options(site: Call) -> bool:
    """A dict of options is written out here, none of them for the sake of its files."""
    given = site.arg_node(COMPILER_OPTIONS, "compiler_options")
    options = Flowing(site.body, site.at).resolve(given) if given is not None else None
    if not isinstance(options, cst.Dict) or not options.elements:
        return False
    return DUMP not in text_of(options)


_RUN, _LOOKED_AT, _LEFT = "run", "looked at", "left"


def _fate(compile_: Call) -> str:
    """What becomes of an executable: `RUN` is also whatever could run it out of sight."""
    body = compile_.body
    above = parents(body.function.node)
    use = above.get(id(compile_.node))
    if isinstance(use, cst.Expr):
        return _LEFT
    if isinstance(use, cst.Attribute):
        return _LOOKED_AT if use.attr.value in LOOKS else _RUN
    match use:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name() as name)]):
            return _of_name(body, name, above)
    return _RUN


def _of_name(body: Body, name: cst.Name, above: dict[int, cst.CSTNode]) -> str:
    scope = body.function.scope
    if name.value in scope.global_names | scope.nonlocal_names:
        return _RUN
    root = body.model.tree if body.function.number == 0 else body.function.node
    uses = [n for n in walk(root) if isinstance(n, cst.Name) and n.value == name.value]
    looks = [above.get(id(use)) for use in uses if use is not name]
    if not looks:
        return _LEFT
    looked = all(isinstance(at, cst.Attribute) and at.attr.value in LOOKS for at in looks)
    return _LOOKED_AT if looked else _RUN


def _calls_of(body: Body, func: cst.BaseExpression) -> list[cst.Call]:
    """The untraced calls in this file of what a name, or an attribute of it, stands for.

    None where the name stands for more than one thing. What other functions call counts where plain
    Python is seen to call them.
    """
    text = dotted(func)
    if text is None:
        return []
    functions = list(_seeing(body, text))
    if sum(_assigns(node, text) for function in functions for node in _own(function)) > 1:
        return []
    hosted, path = body.usage.hosted, body.model.path
    running = [f for f in functions if f is body.function or (path, f.number) in hosted]
    nodes = (node for function in running for node in _own(function))
    return [node for node in nodes if isinstance(node, cst.Call) and dotted(node.func) == text]


def _may_follow(body: Body, early: cst.CSTNode, late: cst.CSTNode) -> bool:
    """One run may come to both: not where `early` is in another branch, or in one that leaves."""
    above = parents(body.function.node)
    block = above.get(id(early))
    while block is not None and not _holds(block, late):
        branch = above.get(id(block))
        if isinstance(block, cst.BaseSuite) and isinstance(branch, cst.If | cst.Else):
            if ends(block):
                return False
            chosen = above.get(id(branch)) if isinstance(branch, cst.Else) else branch
            if chosen is not None and _holds(chosen, late):
                return False
        block = branch
    return True


def _holds(node: cst.CSTNode, inner: cst.CSTNode) -> bool:
    return any(part is inner for part in walk(node))


def _seeing(body: Body, text: str) -> Iterator[Function]:
    """The functions for which it means the same as in this one."""
    root, _, attribute = text.partition(".")
    here = body.function
    owner = here.scope.owner(root)
    methods = bool(attribute) and root == here.self_name
    for function in body.model.functions:
        if methods:
            same = function.cls is here.cls and function.self_name == root
        else:
            same = owner is not None and function.scope.owner(root) is owner
        if same:
            yield function


def _own(function: Function) -> Iterator[cst.CSTNode]:
    return walk(function.node, into_functions=False)


def _assigns(node: cst.CSTNode, text: str) -> bool:
    match node:
        case (
            cst.AssignTarget(target=target) | cst.AnnAssign(target=target) | cst.For(target=target)
        ):
            return dotted(target) == text or text in {name.value for name in target_names(target)}
    return False
