"""What `shard_map` is told of a function: whether replication is checked, and its specs."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.model import Function, Imported
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import dotted, literal, walk
from gotcha_lint.queries.returned import resolved

_CHECKS = ("check_vma", "check_rep")


class Sharding(NamedTuple):
    """The call of `shard_map`, or of `partial` with it, and the function that it is written in."""

    call: cst.Call
    inside: Function

    @property
    def unchecked(self) -> bool:
        return any(literal(self._given(name)) is False for name in _CHECKS)

    @property
    def gives_replicated(self) -> bool:
        """All that it returns is said to be the same on every device."""
        return self._replicated(self._given("out_specs"))

    def replicated(self, function: Function) -> set[str]:
        """The parameters that are the same on every device."""
        return {name for name, spec in self._specs(function).items() if self._replicated(spec)}

    def split(self, function: Function) -> set[str]:
        """The parameters of which every device has a part."""
        return {name for name, spec in self._specs(function).items() if self._names_axis(spec)}

    def _given(self, name: str) -> cst.CSTNode | None:
        args = (arg.value for arg in self.call.args if arg.keyword and arg.keyword.value == name)
        return self._read(next(args, None))

    def _specs(self, function: Function) -> dict[str, cst.CSTNode | None]:
        specs = self._given("in_specs")
        elements = specs.elements if isinstance(specs, cst.Tuple) else ()
        names = (param.name for param in function.params)
        return dict(zip(names, (self._read(each.value) for each in elements), strict=False))

    def _replicated(self, node: cst.CSTNode | None) -> bool:
        """`P()`, or a tuple of nothing else."""
        if isinstance(node, cst.Tuple):
            return all(self._replicated(self._read(each.value)) for each in node.elements)
        return isinstance(node, cst.Call) and self._is_spec(node) and not node.args

    def _names_axis(self, node: cst.CSTNode | None) -> bool:
        """`P("data")`."""
        args = node.args if isinstance(node, cst.Call) and self._is_spec(node) else ()
        return any(isinstance(literal(arg.value), str) for arg in args)

    def _is_spec(self, node: cst.Call) -> bool:
        name = dotted(node.func) or ""
        hows = lookup(self.inside.scope, name) or []
        tail = name.rpartition(".")[2] if "." in name else ""
        ends = (f"{how}.{tail}".rstrip(".") for how in hows if isinstance(how, Imported))
        return any(end.endswith(".PartitionSpec") for end in ends)

    def _read(self, node: cst.CSTNode | None) -> cst.CSTNode | None:
        return _meant(self.inside, node)


def sharding(body: Body) -> Sharding | None:
    """That of a function which is given to `shard_map` itself, in its own file."""
    trace, model = body.trace, body.model
    if trace is None or not trace.direct or trace.soft:
        return None
    (path, number), how = trace.chain[-1]
    if not how.startswith("shard_map ") or path != model.path or number < 0:
        return None
    node = model.node(number)
    inside = _around(body, model.stand_ins.get(id(node), node))
    call = _meant(inside, node)
    return Sharding(call, inside) if isinstance(call, cst.Call) else None


def _around(body: Body, node: cst.CSTNode) -> Function:
    """The innermost function that holds a node."""
    functions = reversed(body.model.functions)
    holding = (one for one in functions if any(part is node for part in walk(one.node)))
    return next(holding, body.model.module)


def _meant(function: Function | None, node: cst.CSTNode | None) -> cst.CSTNode | None:
    """What a name that is assigned once stands for, in this function or one around it."""
    if not isinstance(node, cst.Name):
        return node
    owner = function.scope.owner(node.value) if function is not None else None
    value = resolved(owner.function, node) if owner is not None else node
    return value if owner is None or value is node else _meant(owner.function, value)
