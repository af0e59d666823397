"""Follows values along the assignments of one function, forwards and backwards."""

from __future__ import annotations

from functools import cached_property, lru_cache

import libcst as cst

from gotcha_lint.analysis.sites import At, Bind, Body
from gotcha_lint.analysis.syntax import walk

STATIC_ATTRIBUTES = frozenset(["shape", "ndim", "dtype", "size"])


class Flowing:
    """Follows values along the assignments of one function, as they stand at a place of it."""

    def __init__(self, body: Body, at: At | None = None) -> None:
        self.body, self.at = body, at

    @cached_property
    def loads(self) -> dict[str, list[cst.Name]]:
        return _names(self.body.function.node)

    @cached_property
    def sources(self) -> dict[str, list[cst.CSTNode]]:
        """What each name was made of, by the statements that assign it."""
        found: dict[str, list[cst.CSTNode]] = {}
        for bind in self.body.of(Bind):
            source = bind.source or right_side(bind.at.statement)
            if source is not None:
                found.setdefault(bind.name, []).append(source)
        return found

    def resolve(self, node: cst.CSTNode) -> cst.CSTNode:
        """What a name stands for, where it is assigned once, or surely last."""
        return self.origin(node)[0]

    def origin(self, node: cst.CSTNode) -> tuple[cst.CSTNode, Flowing]:
        """The same, and the place where it is written: its own names mean what they meant there."""
        at = self.at
        for _ in range(4):
            bind = self._bound(node.value, at) if isinstance(node, cst.Name) else None
            if bind is None or bind.source is None:
                break
            node, at = bind.source, bind.at if at is not None else None
        return node, self if at is self.at else Flowing(self.body, at)

    def _bound(self, name: str, at: At | None) -> Bind | None:
        binds = [bind for bind in self.body.of(Bind) if bind.name == name]
        if at is None:
            own = self.body.function.has_parameter(name)
            return binds[0] if len(binds) == 1 and not own else None
        before = [bind for bind in binds if bind.at.order < at.order]
        last = before[-1] if before else None
        if last is None or _adds_to(last):
            return None
        sure = at.loops[: len(last.at.loops)] == last.at.loops
        sure = sure and last.at.is_passed_by(at)
        # A loop may bring a later value to the place again.
        inner = at.loops[len(last.at.loops) :]
        again = any(loop in bind.at.loops for bind in binds for loop in inner)
        return last if sure and not again else None


@lru_cache(maxsize=256)  # the same in each round
def _names(function: cst.CSTNode) -> dict[str, list[cst.Name]]:
    found: dict[str, list[cst.Name]] = {}
    for node in walk(function):
        if type(node) is cst.Name:
            found.setdefault(node.value, []).append(node)
    return found


def _adds_to(bind: Bind) -> bool:
    """`total += x`: what it held before is a part of it."""
    line = bind.at.statement
    small = line.body if isinstance(line, cst.SimpleStatementLine) else ()
    return any(isinstance(part, cst.AugAssign) and part.target is bind.node for part in small)


def right_side(statement: cst.CSTNode) -> cst.CSTNode | None:
    """`a, b = f(x)`: both come from f(x); `for a, b in x`: from x."""
    if isinstance(statement, cst.For):
        return statement.iter
    if isinstance(statement, cst.SimpleStatementLine):
        for small in statement.body:
            if isinstance(small, cst.Assign | cst.AnnAssign | cst.AugAssign):
                return small.value
    return None
