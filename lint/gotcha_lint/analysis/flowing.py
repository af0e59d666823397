"""Follows values along the assignments of one function, forwards and backwards."""

from __future__ import annotations

from functools import cached_property, lru_cache

import libcst as cst

from gotcha_lint.analysis.sites import At, Bind, Body, Call
from gotcha_lint.analysis.syntax import children, walk
from gotcha_lint.analysis.values import FLAT
from gotcha_lint.facts.slopes import STEPS

# No gradient comes through these, nor through what only has the shape of its argument.
_FLAT = STEPS | {"zeros_like", "ones_like", "full_like", "shape", "ndim", "size"}
_NO_VALUES = frozenset((cst.Comparison, cst.Lambda, cst.FunctionDef))
STATIC_ATTRIBUTES = frozenset(["shape", "ndim", "dtype", "size"])
LIMIT = 200  # steps along assignments
# Before the number of a result; alone it is all that a function returns.
RESULT = ":"
# Beside the names: a module told them, whose inputs may be the data.
LIKELY = "~"


def is_flat(call: Call | None) -> bool:
    """The gradient of what it returns is zero, or it returns no number."""
    return (
        call is not None and call.name.rpartition(".")[2] in _FLAT and call.name.startswith("jax.")
    )


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
            if bind.value.of == FLAT:
                continue
            source = bind.source or right_side(bind.at.statement)
            if source is not None:
                found.setdefault(bind.name, []).append(source)
        return found

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The parameters that a gradient runs through."""
        body, trace = self.body, self.body.trace
        told = frozenset(name for name in body.graded if name.isidentifier())
        if told and trace is not None and "module" not in trace.roles:
            return told
        own = frozenset(p.name for p in body.function.params)
        if trace is None:
            return own
        if body.function.is_method and "module" in trace.roles:
            own -= {body.function.self_name}  # what a module keeps is often no parameter
        if trace.direct and trace.wrt is not None:
            own &= trace.wrt
        return told | own - trace.static

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

    def from_parameters(self, node: cst.CSTNode) -> bool:
        """It depends on something that is differentiated, as far as the assignments show."""
        seen: set[str] = set()
        stack = [node]
        while stack and len(seen) < LIMIT:
            current = stack.pop()
            if type(current) is cst.Name:
                if current.value in self.wanted:
                    return True
                if current.value not in seen:
                    seen.add(current.value)
                    stack.extend(self.sources.get(current.value, ()))
                continue
            if type(current) is cst.Attribute:
                if current.attr.value not in STATIC_ATTRIBUTES:
                    stack.append(current.value)
                continue
            if current.__class__ in _NO_VALUES:
                continue
            if type(current) is cst.Call:
                call = self.body.call_of(current)
                if is_flat(call) or (call is not None and call.result.of == FLAT):
                    continue
                if isinstance(current.func, cst.Attribute) and current.func.attr.value == "param":
                    return True
                stack.extend(arg.value for arg in current.args)
                stack.append(current.func)  # `model(x)`, `params.sum()`
                continue
            stack.extend(children(current))
        return False


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
