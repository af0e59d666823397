"""Random keys that are split, and numbers that are drawn, for functions that ignore them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.looked_at import bound_by
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import last_word, parents, target_names, walk
from gotcha_lint.analysis.unread import is_plain
from gotcha_lint.analysis.values import Value
from gotcha_lint.queries.own_keys import given
from gotcha_lint.queries.returned import function_of
from gotcha_lint.queries.stale import names_read


def draws_nothing(call: Call, key: Value) -> bool:
    """`_, params = fit(key, params)` of a function that gives the rest of its key back, unused."""
    function = function_of(call.body, call.callee)
    if function is None or call.callee.via or not key.ident or call.starred:
        return False
    name = _parameter(call, function, key)
    back = _given_back(function, name) if name else None
    return back is not None and all(_is_dropped(call, place) for place in back)


def is_ignored(call: Call) -> bool:
    """What is drawn has a name, under which it is only given to functions that never read it."""
    names, function = bound_by(call.at.statement), call.body.function
    if len(names) != 1 or names & function.shared or function.number == 0:
        return False
    above = parents(function.node)
    reads = [node for node in names_read(function.node) if node.value in names]
    return bool(reads) and all(_is_given_in_vain(function, above, node) for node in reads)


def _is_given_in_vain(function: Function, above: dict[int, cst.CSTNode], node: cst.Name) -> bool:
    arg = above.get(id(node))
    outer = above.get(id(arg))
    return (
        isinstance(arg, cst.Arg) and isinstance(outer, cst.Call) and _ignores(function, outer, arg)
    )


def _parameter(call: Call, function: Function, key: Value) -> str:
    """The one that the key is given to."""
    found = [
        arg.keyword.value if arg.keyword is not None else function.params[position].name
        for position, (arg, value) in enumerate(zip(call.node.args, given(call), strict=False))
        if value is not None and value.ident == key.ident and position < len(function.params)
    ]
    return found[0] if len(found) == 1 and not function.is_method else ""


def _given_back(function: Function, name: str) -> set[int] | None:
    """Where in its result the parts of a key are; None where something else is done with one."""
    above, back = parents(function.node), set[int]()
    for node in _parts(function, name):
        arg = above.get(id(node))
        outer = above.get(id(arg))
        if _is_given_in_vain(function, above, node):
            continue
        match arg, outer:
            case cst.Arg(), cst.Call() if _split_of(outer) and _is_kept(above.get(id(outer))):
                continue
            case cst.Element(), cst.Tuple() if isinstance(above.get(id(outer)), cst.AssignTarget):
                continue  # it is bound again
            case cst.Element(), cst.Tuple() if isinstance(above.get(id(outer)), cst.Return):
                back.add(outer.elements.index(arg))
            case _:
                return None
    return back


def _parts(function: Function, name: str) -> Iterator[cst.Name]:
    """The reads of a key, and of all that it is split into."""
    names = {name}
    lines = [line for line in walk(function.node) if isinstance(line, cst.Assign)]
    for line in lines * 2:  # in a loop, a part of it may be split further up
        if _split_of(line.value) in names:
            names |= {n.value for each in line.targets for n in target_names(each.target)}
    return (node for node in names_read(function.node) if node.value in names)


def _split_of(node: cst.CSTNode | None) -> str:
    """`key` of `random.split(key)`."""
    match node:
        case cst.Call(args=[cst.Arg(value=cst.Name(value=name)), *_]):
            return name if last_word(node.func) == "split" else ""
    return ""


def _is_kept(line: cst.CSTNode | None) -> bool:
    """All parts have names, by which they are found."""
    return isinstance(line, cst.Assign) and all(is_plain(each.target) for each in line.targets)


def _ignores(function: Function, call: cst.Call, arg: cst.Arg) -> bool:
    """`jax.grad(loss)(params, key)` of a `loss` here that never reads its second parameter."""
    func = call.func
    if isinstance(func, cst.Call) and func.args:
        func = func.args[0].value
    hows = lookup(function.scope, func.value) if isinstance(func, cst.Name) else None
    inner = hows[0] if hows and len(hows) == 1 else None
    place = call.args.index(arg)
    if not isinstance(inner, Function) or arg.keyword is not None or place >= len(inner.params):
        return False
    name, body = inner.params[place].name, getattr(inner.node, "body", inner.node)
    own = (part for part in walk(body, into_functions=False) if isinstance(part, cst.Name))
    return name not in inner.shared and all(part.value != name for part in own)


def _is_dropped(call: Call, place: int) -> bool:
    """The result at this place is bound to `_`."""
    line = call.at.statement
    for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
        match small:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Tuple(elements=elements))], value=value
            ) if value is call.node and place < len(elements):
                target = elements[place].value
                return isinstance(target, cst.Name) and target.value == "_"
    return False
