"""Executables compiled ahead of time: what becomes of them, and who calls the function itself."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted, ends, parents, target_names, walk
from gotcha_lint.facts.ahead import LOOKS

RUN, LOOKED_AT, LEFT = "run", "looked at", "left"


def fate(compile_: Call) -> str:
    """What becomes of an executable: `RUN` is also whatever could run it out of sight."""
    body = compile_.body
    above = parents(body.function.node)
    use = above.get(id(compile_.node))
    if isinstance(use, cst.Expr):
        return LEFT
    if isinstance(use, cst.Attribute):
        return LOOKED_AT if use.attr.value in LOOKS else RUN
    match use:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name() as name)]):
            return _of_name(body, name, above)
    return RUN


def _of_name(body: Body, name: cst.Name, above: dict[int, cst.CSTNode]) -> str:
    scope = body.function.scope
    if name.value in scope.global_names | scope.nonlocal_names:
        return RUN
    root = body.model.tree if body.function.number == 0 else body.function.node
    uses = [n for n in walk(root) if isinstance(n, cst.Name) and n.value == name.value]
    looks = [above.get(id(use)) for use in uses if use is not name]
    if not looks:
        return LEFT
    looked = all(isinstance(at, cst.Attribute) and at.attr.value in LOOKS for at in looks)
    return LOOKED_AT if looked else RUN


def calls_of(body: Body, func: cst.BaseExpression) -> list[cst.Call]:
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


def may_follow(body: Body, early: cst.CSTNode, late: cst.CSTNode) -> bool:
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
