"""What is differentiated: does a gradient flow from the loss through this place to a parameter?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import children, dotted, walk
from gotcha_lint.queries.syntax_up import parents

_GRADS = frozenset({"grad", "value_and_grad"})
# No gradient comes through these.
_FLAT = frozenset(
    [
        "stop_gradient",
        "argmax",
        "argmin",
        "sign",
        "round",
        "floor",
        "ceil",
        "rint",
        "one_hot",
        "isnan",
        "isinf",
        "isfinite",
        "any",
        "all",
        "zeros_like",
        "ones_like",
        "full_like",
        "shape",
        "ndim",
        "size",
        "equal",
        "not_equal",
        "less",
        "greater",
        "less_equal",
        "greater_equal",
        "logical_and",
        "logical_or",
        "logical_not",
        "argsort",
        "searchsorted",
        "digitize",
    ]
)
_STATIC_ATTRIBUTES = frozenset(["shape", "ndim", "dtype", "size"])
_REPORTS = ("metric", "stats", "statistic", "diagnos", "summary", "summarise", "explained")
_NO_NAMES: frozenset[str] = frozenset()
_LIMIT = 200  # steps along assignments


def differentiated(body: Body, *, modules: bool = False) -> bool:
    """Surely inside of a gradient; with `modules` also what a module computes when it is called."""
    trace = body.trace
    if trace is None or trace.soft:
        return modules and trace is not None and "module" in trace.roles
    if "custom" in trace.roles:  # another function says what its derivative is
        return False
    return not trace.roles.isdisjoint(_GRADS)


def is_flat(call: Call | None) -> bool:
    """The gradient of what it returns is zero, or it returns no number."""
    return (
        call is not None and call.name.rpartition(".")[2] in _FLAT and call.name.startswith("jax.")
    )


class Flowing:
    """Follows values along the assignments of one function, forwards and backwards."""

    def __init__(
        self, body: Body, function: Function | None = None, direct: bool | None = None
    ) -> None:
        trace = body.trace
        self.body, self.function = body, function or body.function
        own = trace is not None and trace.direct and not trace.roles.isdisjoint(_GRADS)
        self.direct = own if direct is None else direct  # it is given to grad itself

    @cached_property
    def above(self) -> dict[int, cst.CSTNode]:
        return parents(self.function.node)

    @cached_property
    def loads(self) -> dict[str, list[cst.Name]]:
        found: dict[str, list[cst.Name]] = {}
        for node in walk(self.function.node):
            if isinstance(node, cst.Name):
                found.setdefault(node.value, []).append(node)
        return found

    @cached_property
    def sources(self) -> dict[str, list[cst.CSTNode]]:
        """What each name was made of, by the statements that assign it."""
        found: dict[str, list[cst.CSTNode]] = {}
        for bind in self.body.of(Bind):
            source = bind.source or _right_side(bind.at.statement)
            if source is not None:
                found.setdefault(bind.name, []).append(source)
        return found

    def resolve(self, node: cst.CSTNode) -> cst.CSTNode:
        """What a name stands for, where it is assigned once."""
        for _ in range(4):
            if not isinstance(node, cst.Name):
                break
            sources = self.sources.get(node.value, [])
            if len(sources) != 1 or node.value in {p.name for p in self.body.function.params}:
                break
            if not any(b.source is sources[0] for b in self.body.of(Bind) if b.name == node.value):
                break
            node = sources[0]
        return node

    def from_parameters(self, node: cst.CSTNode) -> bool:
        """It depends on something that is differentiated, as far as the assignments show."""
        trace = self.body.trace
        params = {p.name for p in self.body.function.params}
        wanted = params - (trace.static if trace else frozenset())
        if trace is not None and trace.direct and trace.wrt is not None:
            wanted &= trace.wrt
        seen: set[str] = set()
        stack = [node]
        while stack and len(seen) < _LIMIT:
            current = stack.pop()
            if isinstance(current, cst.Name):
                if current.value in wanted:
                    return True
                if current.value not in seen:
                    seen.add(current.value)
                    stack.extend(self.sources.get(current.value, ()))
                continue
            if isinstance(current, cst.Attribute):
                if current.attr.value not in _STATIC_ATTRIBUTES:
                    stack.append(current.value)
                continue
            if isinstance(current, cst.Comparison | cst.Lambda | cst.FunctionDef):
                continue
            if isinstance(current, cst.Call):
                if is_flat(self.body.call_of(current)):
                    continue
                stack.extend(arg.value for arg in current.args)
                if isinstance(current.func, cst.Attribute):
                    stack.append(current.func.value)
                continue
            stack.extend(children(current))
        return False

    def to_the_loss(self, node: cst.CSTNode) -> bool:
        """It reaches what the function returns, and its callers', and not only auxiliary output."""
        if any(word in self.function.name.lower() for word in _REPORTS):
            return False
        return self._returned(node) and all(flow._returned(call) for flow, call in self._callers())

    def _callers(self) -> Iterator[tuple[Flowing, cst.CSTNode]]:
        """The calls that lead here from the differentiated function, within this file."""
        trace, model = self.body.trace, self.body.model
        chain = trace.chain if trace is not None and not self.direct else ()
        for before, ((path, number), _) in zip(chain[-2::-1], chain[:0:-1], strict=False):
            direct = before[1].partition(" of ")[0] in _GRADS
            if path != model.path or number < 0:
                return
            call = model.nodes[number]
            for function in model.functions[1:]:
                if any(part is call for part in walk(function.node, into_functions=False)):
                    yield Flowing(self.body, function, direct), call
            if direct:
                return

    def _returned(self, node: cst.CSTNode) -> bool:
        seen: set[str] = set()
        stack: list[cst.CSTNode] = [node]
        while stack and len(seen) < _LIMIT:
            names = self._climb(stack.pop())
            if names is None:
                return True
            for name in names - seen:
                stack.extend(n for n in self.loads.get(name, ()) if not self._is_target(n))
            seen |= names
        return False

    def _climb(self, node: cst.CSTNode) -> frozenset[str] | None:
        """Up to the statement: None where the loss is returned, else the names it is bound to."""
        while (outer := self.above.get(id(node))) is not None:
            match outer:
                case cst.Comparison() | cst.FunctionDef():
                    return _NO_NAMES
                case cst.Expr(value=value):
                    return _collected(value)
                case cst.Call() if self._is_flat(outer):
                    return _NO_NAMES
                case cst.Attribute(attr=cst.Name(value=attr)) if attr in _STATIC_ATTRIBUTES:
                    return _NO_NAMES
                case cst.If(test=test) | cst.While(test=test) | cst.IfExp(test=test) if (
                    test is node
                ):
                    return _NO_NAMES
                case cst.Return():
                    return None
                case cst.Assign(targets=targets):
                    return frozenset(name for t in targets for name in _bound(t.target))
                case cst.AnnAssign(target=target) | cst.AugAssign(target=target):
                    return frozenset(_bound(target))
                case cst.Tuple(elements=elements) if self._returns_aux(outer):
                    return None if elements[0].value is node else _NO_NAMES
            node = outer
        return None  # the value of a lambda

    def _returns_aux(self, node: cst.Tuple) -> bool:
        """A differentiated function that returns a tuple returns the loss, then what is not."""
        return self.direct and isinstance(self.above.get(id(node)), cst.Return)

    def _is_flat(self, node: cst.Call) -> bool:
        call = self.body.call_of(node)
        if call is not None:
            return is_flat(call)
        return (
            self.function is not self.body.function
            and (dotted(node.func) or "").rpartition(".")[2] in _FLAT
        )

    def _is_target(self, node: cst.Name) -> bool:
        outer = self.above.get(id(node))
        return isinstance(outer, cst.AssignTarget) or (
            isinstance(outer, cst.Arg) and outer.keyword is node
        )


def _right_side(statement: cst.CSTNode) -> cst.CSTNode | None:
    """`a, b = f(x)`: both come from f(x)."""
    if isinstance(statement, cst.SimpleStatementLine):
        for small in statement.body:
            if isinstance(small, cst.Assign | cst.AnnAssign | cst.AugAssign):
                return small.value
    return None


def _bound(target: cst.CSTNode) -> set[str]:
    """The names that an assignment changes: `aux` of `aux["loss"] = x` too."""
    stack, found = [target], set[str]()
    while stack:
        match stack.pop():
            case cst.Name(value=name):
                found.add(name)
            case cst.Subscript(value=value) | cst.Attribute(value=value):
                stack.append(value)
            case cst.Tuple(elements=elements) | cst.List(elements=elements):
                stack.extend(e.value for e in elements)
    return found


def _collected(value: cst.CSTNode) -> frozenset[str]:
    """`losses.append(x)` puts it into `losses`."""
    if isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
        return frozenset(_bound(value.func.value))
    return _NO_NAMES
