"""Lists whose items are put on the device one by one."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.hosting import is_host
from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import dotted, names_in
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.pipelines import TRANSFERS
from gotcha_lint.queries.pipelines import runs_per_example
from gotcha_lint.queries.places import long_loops

_ON_HOST = frozenset({Kind.HOST, Kind.STATIC})
_ADDS = frozenset({"list.append"})


def put_one_by_one(join: Call) -> Call | None:
    """The transfer of each item of the list that is joined here."""
    items = join.arg_node(0, "arrays", "object", "tup")
    if items is None:
        return None
    made = Flowing(join.body, join.at).resolve(items)
    if isinstance(made, cst.ListComp | cst.GeneratorExp):
        return _transfer(join.body, made.elt)
    if isinstance(items, cst.Name):
        return _appended(join, items.value)
    return None


def _appended(join: Call, name: str) -> Call | None:
    add = only_append(join, name)
    item = add.arg_node(0) if add is not None else None
    return _transfer(join.body, item) if item is not None else None


def only_append(join: Call, name: str) -> Call | None:
    """`rows.append(...)`, where it is all that the list of this name is filled by."""
    adds = [
        call
        for call in join.body.of(Call)
        if call.name in _ADDS and dotted(call.node.func) == f"{name}.append"
    ]
    binds = [bind for bind in join.body.of(Bind) if bind.name == name]
    if len(adds) != 1 or len(binds) != 1 or not long_loops(adds[0]):
        return None
    return adds[0] if len(long_loops(join)) < len(long_loops(adds[0])) else None


def _transfer(body: Body, item: cst.BaseExpression) -> Call | None:
    call = body.call_of(item)
    if call is None or call.name not in TRANSFERS or call.starred or not call.args:
        return None
    loops = long_loops(call)
    if not loops or not names_in(call.node.args[0].value) & _turned(body, call):
        return None
    return call if _from_host(body, call.args[0]) else None


def _turned(body: Body, call: Call) -> frozenset[str]:
    """What differs from item to item."""
    inner = long_loops(call)[-1]
    bound = {bind.name for bind in body.of(Bind) if inner in bind.at.loops}
    return inner.names | bound


def _from_host(body: Body, value: Value) -> bool:
    """Seen to be there; or not known, where the code is seen to handle data."""
    if value.kind in _ON_HOST:
        return not value.maybe
    return value.kind is Kind.UNKNOWN and (is_host(body) or runs_per_example(body))
