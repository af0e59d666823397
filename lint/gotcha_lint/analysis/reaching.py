"""Follows values on from a place of one function: do they reach the loss?"""

from __future__ import annotations

from functools import cached_property, lru_cache

import libcst as cst

from gotcha_lint.analysis.flowing import RESULT, STATIC_ATTRIBUTES, Flowing, is_flat
from gotcha_lint.analysis.sites import Bind
from gotcha_lint.analysis.syntax import parents

_REPORTS = ("metric", "stats", "statistic", "diagnos", "summary", "summarise", "explained")
_NO_NAMES: frozenset[str] = frozenset()
# Most of what lies above a name, and not worth the slow tests of LibCST's abstract classes.
_PASSED = frozenset(
    {
        *(cst.Arg, cst.BinaryOperation, cst.UnaryOperation, cst.Subscript, cst.SubscriptElement),
        *(cst.Index, cst.Element, cst.List, cst.DictElement),
    }
)


class Reaching(Flowing):
    """Follows values forwards too."""

    @cached_property
    def above(self) -> dict[int, cst.CSTNode]:
        return _parents(self.body.function.node)

    def to_the_loss(self, node: cst.CSTNode) -> bool:
        """It reaches what the function returns, and not only auxiliary output."""
        if any(word in self.body.function.name.lower() for word in _REPORTS):
            return False
        return self._returned(node)

    def results(self, call: cst.Call) -> frozenset[str]:
        """Those results of a call that reach the loss: all as one, or `:1` of `a, b = f(x)`."""
        if any(word in self.body.function.name.lower() for word in _REPORTS):
            return frozenset()
        outer = self.above.get(id(call))
        if isinstance(outer, cst.Return) and self.outputs is not None:
            return self.outputs
        if isinstance(outer, cst.Assign) and isinstance(outer.targets[0].target, cst.Tuple):
            parts = [element.value for element in outer.targets[0].target.elements]
            return frozenset(
                f"{RESULT}{place}"
                for place, part in enumerate(parts)
                if isinstance(part, cst.Name) and self._reach(frozenset({part.value}))
            )
        return frozenset({RESULT}) if self._returned(call) else frozenset()

    @cached_property
    def outputs(self) -> frozenset[str] | None:
        """The results that the loss is made of; None: any."""
        told = frozenset(name for name in self.body.graded if name.startswith(RESULT))
        if told:
            return told
        trace = self.body.trace
        # What is given to a transform under a gradient returns a carry first, then what is kept.
        return frozenset({RESULT, f"{RESULT}0"}) if trace is not None and trace.direct else None

    def _returned(self, node: cst.CSTNode) -> bool:
        names = self._climb(node)
        return names is None or self._reach(names)

    def _reach(self, first: frozenset[str]) -> bool:
        """One of the names reaches the loss."""
        return not self._arriving.isdisjoint(first)

    @cached_property
    def _arriving(self) -> set[str]:
        """The names of this function that reach the loss: found backwards, each use once."""
        made_of: dict[str, set[str]] = {}
        arriving: set[str] = set()
        for name in {bind.name for bind in self.body.of(Bind)} | self._parameters:
            for node in self.loads.get(name, ()):
                if self._is_target(node):
                    continue
                names = self._climb(node)
                if names is None:
                    arriving.add(name)
                for later in names or ():
                    made_of.setdefault(later, set()).add(name)
        waiting = list(arriving)
        while waiting:
            new = made_of.get(waiting.pop(), set()) - arriving
            arriving |= new
            waiting.extend(new)
        return arriving

    @property
    def _parameters(self) -> set[str]:
        return {param.name for param in self.body.function.params}

    def _climb(self, node: cst.CSTNode) -> frozenset[str] | None:
        """Up to the statement: None where the loss is returned, else the names it is bound to."""
        while (outer := self.above.get(id(node))) is not None:
            if outer.__class__ in _PASSED:
                node = outer
                continue
            match outer:
                case cst.Comparison() | cst.FunctionDef():
                    return _NO_NAMES
                case cst.Expr(value=value):
                    return _collected(value)
                case cst.Call() if is_flat(self.body.call_of(outer)):
                    return _NO_NAMES
                case cst.Attribute(attr=cst.Name(value=attr)) if attr in STATIC_ATTRIBUTES:
                    return _NO_NAMES
                case cst.If(test=test) | cst.While(test=test) | cst.IfExp(test=test) if (
                    test is node
                ):
                    return _NO_NAMES
                case cst.Return():
                    return None
                case cst.For(iter=over, target=target) if over is node:
                    return frozenset(_bound(target))
                case cst.Assign(targets=targets):
                    return frozenset(name for t in targets for name in _bound(t.target))
                case cst.AnnAssign(target=target) | cst.AugAssign(target=target):
                    return frozenset(_bound(target))
                case cst.Tuple() | cst.Dict() if self._not_this(outer, node):
                    return _NO_NAMES
            node = outer
        return None  # the value of a lambda

    def _not_this(self, whole: cst.Tuple | cst.Dict, part: cst.CSTNode) -> bool:
        """`return loss, metrics`: not every part is the loss."""
        if self.outputs is None or not isinstance(self.above.get(id(whole)), cst.Return):
            return False
        place = next((n for n, each in enumerate(whole.elements) if each is part), -1)
        return isinstance(whole, cst.Dict) or f"{RESULT}{place}" not in self.outputs

    def _is_target(self, node: cst.Name) -> bool:
        outer = self.above.get(id(node))
        if isinstance(outer, cst.Arg):
            return outer.keyword is node
        while isinstance(outer, cst.Element | cst.Tuple | cst.List | cst.StarredElement):
            outer = self.above.get(id(outer))
        return isinstance(outer, cst.AssignTarget)


_parents = lru_cache(maxsize=256)(parents)  # the same in each round


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
