"""Loops that call a jitted function for each row of an array, and join what it returns."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.filling import filled_by
from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Body, Call, Index, Iterate, Loop, Place, Store
from gotcha_lint.analysis.syntax import dotted, last_word, literal, names_in, walk
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.concrete import CASTS
from gotcha_lint.facts.pipelines import COPIES, GATHERS, GROUPS, MAPPED, TRANSFERS
from gotcha_lint.queries.elements import bound_in, sources
from gotcha_lint.queries.jitted import called_name, compiled
from gotcha_lint.queries.one_by_one import only_append

_FEW = 8  # rows: a choice that is written out, not examples
_ROWS = frozenset({Kind.ARRAY, Kind.HOST, Kind.KEY})
# What is called so has many examples in each row.
_MANY = ("batch", "chunk", "block", "fold", "shard", "window", "split")
_IN_PLACE = frozenset({"nnx.jit", "nnx.pmap"})  # they change the modules that they are given
_LEAVES = (cst.Break, cst.Continue, cst.Return, cst.Yield, cst.Try)


class Each(NamedTuple):
    call: Call  # of the jitted function
    rows: cst.BaseExpression  # the array that is gone through


def called_for_each(join: Call) -> Each | None:
    """The call that makes each item of what is joined here, from a row of an array."""
    items = join.arg_node(0) if join.name in GATHERS and not join.starred else None
    if items is None:
        return None
    made = Flowing(join.body, join.at).resolve(items)
    if isinstance(made, cst.ListComp | cst.GeneratorExp):
        return _each(join, made.elt) if not any(f.ifs for f in _clauses(made)) else None
    add = only_append(join, items.value) if isinstance(items, cst.Name) else None
    item = add.arg_node(0) if add is not None else None
    if add is None or item is None or add.at.guards != join.at.guards:
        return None
    return _each(join, Flowing(join.body, add.at).resolve(item))


def _clauses(node: cst.BaseComp) -> list[cst.CompFor]:
    return [part for part in walk(node) if isinstance(part, cst.CompFor)]


def _each(join: Call, item: cst.CSTNode) -> Each | None:
    call = join.body.call_of(_unwrapped(join.body, item, CASTS | COPIES))
    if call is None or call.starred or compiled(call) is None or not _takes_one(call):
        return None
    *around, loop = call.at.loops or (None,)
    if loop is None or loop.short or tuple(around) != join.at.loops or not _runs_through(loop):
        return None
    return _rows(call, loop)


def _unwrapped(body: Body, node: cst.CSTNode, through: frozenset[str]) -> cst.CSTNode:
    """`x` of `jnp.asarray(x, jnp.float32)`."""
    call = body.call_of(node)
    while call is not None and call.name in through and call.args:
        node = call.node.args[0].value
        call = body.call_of(node)
    return node


def _takes_one(call: Call) -> bool:
    """It changes no module, and is not mapped: elsewhere in the file the loop is to compare to."""
    if any(via.name in _IN_PLACE for via in call.callee.via):
        return False
    names = {dotted(call.node.func), called_name(call)}
    return MAPPED.isdisjoint(via.name for via in call.callee.via) and not any(
        isinstance(node, cst.Call)
        and last_word(node.func) in MAPPED
        and any(dotted(arg.value) in names for arg in node.args)
        for node in walk(call.body.model.tree)
    )


def _runs_through(loop: Loop) -> bool:
    """Every turn is alike, and none hands anything but what it appends to the next."""
    return not any(isinstance(part, _LEAVES) for part in walk(loop.node)) and not _many(loop)


def _many(loop: Loop) -> bool:
    over = loop.node.iter if isinstance(loop.node, cst.For) else _clauses(loop.node)[0].iter  # type: ignore[arg-type]
    words = {word.lower() for word in (*loop.names, *names_in(over))}
    return any(many in word for many in _MANY for word in words)


def _rows(call: Call, loop: Loop) -> Each | None:
    """The array whose rows it is given; None where it is given anything else that changes."""
    body, found = call.body, None
    changing = loop.names | bound_in(loop)
    changing |= {(dotted(s.node) or "").partition(".")[0] for s in body.of(Store)
                 if loop in s.at.loops}  # fmt: skip
    for arg in call.node.args:
        if names_in(arg.value).isdisjoint(changing):
            continue
        rows = _of_row(body, loop, _unwrapped(body, arg.value, CASTS | TRANSFERS))
        parameter = filled_by(call, arg.value)
        if rows is None or (parameter is not None and _says_many(parameter[1])):
            return None
        found = found or rows
    return Each(call, found) if found is not None else None


def _says_many(name: str) -> bool:
    return any(word in name.lower() for word in _MANY)


def _of_row(body: Body, loop: Loop, node: cst.CSTNode) -> cst.BaseExpression | None:
    """The array of which this is one row: `x` of `for x in xs`, or `xs[i]` of a counter."""
    if isinstance(node, cst.Name):
        for site in body.of(Iterate):
            for array, value, target in sources(body, site) if site.loop is loop else ():
                same = isinstance(target, cst.Name) and target.value == node.value
                if same and _has_rows(body, site, array, value):
                    return array
        return None
    index = next((site for site in body.of(Index) if site.node is node), None)
    if index is None or loop.over.of != "range":
        return None
    if not _has_rows(body, index, index.node.value, index.base):
        return None
    counters = [index.node.slice[0].slice] if len(index.node.slice) == 1 else []
    match counters:
        case [cst.Index(value=cst.Name(value=name))] if name in loop.names:
            return index.node.value
    return None


def _has_rows(body: Body, place: Place, node: cst.BaseExpression, value: Value) -> bool:
    few = isinstance(value.literal, int) and value.literal <= _FEW
    if value.kind not in _ROWS or value.maybe or value.tracer or few:
        return False
    made = body.call_of(Flowing(body, place.at).resolve(node))
    return value.kind is Kind.KEY or made is None or not (_groups(made) or _is_written_out(made))


def _groups(made: Call) -> bool:
    return last_word(made.node.func) in GROUPS


def _is_written_out(made: Call) -> bool:
    """`np.array([0.1, 0.01])`, `np.linspace(0, 1, 5)`."""
    plain = [arg.value for arg in made.node.args if arg.keyword is None]
    if not plain:
        return False
    number = literal(plain[-1])
    few = isinstance(number, int) and number <= _FEW
    listed = made.name in TRANSFERS | COPIES and isinstance(plain[0], cst.List | cst.Tuple)
    return few or listed
