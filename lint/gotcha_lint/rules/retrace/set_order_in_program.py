"""Sets of strings, whose order is another one in each process."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Bind, Body, Call, Index, Iterate, Operate, Place
from gotcha_lint.analysis.syntax import last_word, parents, source_of
from gotcha_lint.analysis.values import Kind, holds_tracer
from gotcha_lint.facts.orders import AXES, IN_ORDER, OF_AXES, ORDER_FREE, SET_METHODS, SETS
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.constants import origin
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule

_SPLIT = "jax.random.split"
_LISTS = (cst.ListComp, cst.GeneratorExp)


class SetOrderInProgram(Rule):
    """Lets the order of a set of strings decide the program, or which name gets which key.

    ## What happens
    Strings have another hash in each process, and the order of a set follows the hashes. A traced
    loop over a set of names gives its operations in another order in each run: the compilation
    cache on disk is missed (three runs left three programs there; with `sorted` one), and the
    processes of several hosts compile different programs. With `zip(names, keys)` each run starts
    from other weights, whatever the seed.

    ## Instead
    `sorted(names)`, or a tuple, or a dict, which keeps the order in which it was written.

    ## Not reported
    Sets that are not seen to hold strings: numbers hash the same everywhere. `in`, `any`, `len`,
    and what is sorted. `reduced` of a `PartitionSpec`, which is a set. A dict made of the arrays as
    they are: JAX sorts its keys. Tests.

    ## In a run
    Nothing: one process sees one order.
    """

    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                DECAYED = {"embedding", "attention", "mlp"}


                @jax.jit
                def penalty(params):
                    total = 0.0
                    for name in DECAYED:  # ! set-order-in-program
                        total += jnp.sum(params[name] ** 2)
                    return total


                penalty({"embedding": jnp.ones(3), "attention": jnp.ones(2), "mlp": jnp.ones(4)})
            """,
            good="""
                import jax
                import jax.numpy as jnp

                DECAYED = {"embedding", "attention", "mlp"}


                @jax.jit
                def penalty(params):
                    total = 0.0
                    for name in sorted(DECAYED):
                        total += jnp.sum(params[name] ** 2)
                    return total


                penalty({"embedding": jnp.ones(3), "attention": jnp.ones(2), "mlp": jnp.ones(4)})
            """,
            unseen="the order of a set is the same in all of one process",
        ),
        Example(
            bad="""
                import jax

                names = {"query", "key", "value"}
                keys = jax.random.split(jax.random.key(0), len(names))
                params = {}
                for name, key in zip(names, keys):  # ! set-order-in-program
                    params[name] = jax.random.normal(key, (4, 4))
            """,
            good="""
                import jax

                names = {"query", "key", "value"}
                keys = jax.random.split(jax.random.key(0), len(names))
                params = {}
                for name, key in zip(sorted(names), keys):
                    params[name] = jax.random.normal(key, (4, 4))
            """,
            unseen="the order of a set is the same in all of one process",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if is_test(site.model.path):
            return
        for place in site.of(Iterate):
            wrapped = site.call_of(place.node)
            names = _set_gone_through(place, place.node)
            if names is None or (wrapped is not None and _deals(wrapped)):
                continue
            if site.trace and _orders(place):
                yield _report(names, "the operations")
            elif _draws(place):
                yield _report(names, "the random keys")
        for call in site.of(Call):
            dealt = _set_gone_through(call, call.node) if _deals(call) else None
            if dealt is not None:
                yield _report(dealt, "the random keys")
            for arg in call.node.args if call.name in OF_AXES else ():
                names = _set_gone_through(call, arg.value) if _in_order(arg) else None
                if names is not None and (arg.star or names is not arg.value):
                    yield _report(names, "the axes")


def _report(names: cst.BaseExpression, what: str) -> Report:
    change = Change(names, before="sorted(", after=")")
    return Report(
        names,
        f"`{source_of(names, 40)}` is a set of strings: its order differs from process to process, "
        f"and {what} follow it: sort it",
        Rewrite("sort it", (change,)),
    )


def _orders(place: Iterate) -> bool:
    """The iterations of the loop make operations, or a list of arrays."""
    inside = [site for site in place.body.sites if place.loop in site.at.loops]
    if any(_computes(site) for site in inside):
        return True
    if isinstance(place.loop.node, cst.For):
        return any(_appends(site) for site in inside)
    return _kept_in_order(place) and any(_reads(site) for site in inside)


def _computes(site: Place) -> bool:
    match site:
        case Operate(result=result):
            return holds_tracer(result)
        case Call(name=name, result=result):
            return name.startswith("jax.") and holds_tracer(result)
    return False


def _appends(site: Place) -> bool:
    return (
        isinstance(site, Call) and site.name == "list.append" and any(map(holds_tracer, site.args))
    )


def _reads(site: Place) -> bool:
    return isinstance(site, Index) and holds_tracer(site.base)


def _kept_in_order(place: Iterate) -> bool:
    """`[x[n] for n in names]`, but in `any(...)` and the like."""
    made, above = place.loop.node, parents(place.body.function.node)
    arg = above.get(id(made))
    call = above.get(id(arg)) if isinstance(arg, cst.Arg) else None
    free = isinstance(call, cst.Call) and last_word(call.func) in ORDER_FREE
    return isinstance(made, _LISTS) and not free


def _in_order(arg: cst.Arg) -> bool:
    """Given by position, or as the names of a mesh: `reduced` of a spec is a set by itself."""
    return arg.keyword is None or arg.keyword.value == AXES


def _deals(call: Call) -> bool:
    """`zip(names, keys)`."""
    return call.name == "builtins.zip" and any(value.kind is Kind.KEY for value in call.args)


def _draws(place: Iterate) -> bool:
    """Each iteration splits one key, which the next goes on with."""
    renewed = {bind.name for bind in place.body.of(Bind) if place.loop in bind.at.loops}
    calls = [call for call in place.body.of(Call) if place.loop in call.at.loops]
    keys = [call.arg_node(0, "key") for call in calls if call.name == _SPLIT]
    return any(isinstance(key, cst.Name) and key.value in renewed for key in keys)


_OPERATORS = (cst.BitAnd, cst.BitOr, cst.BitXor, cst.Subtract)
_TEXT = (cst.SimpleString, cst.ConcatenatedString, cst.FormattedString)
_COMMON = "intersection"
_FEWER = frozenset({_COMMON, "difference", "copy"})  # of what they are called on, no more
_DEPTH = 6


def _set_gone_through(place: Place, node: cst.CSTNode) -> cst.BaseExpression | None:
    """The set whose order is the order of this: itself, or in `list(names)`, `zip(names, keys)`.

    A set that is seen to hold strings, and perhaps more than one.
    """
    return _gone_through(Flowing(place.body, place.at), node, _DEPTH)


def _gone_through(flow: Flowing, node: cst.CSTNode, depth: int) -> cst.BaseExpression | None:
    if isinstance(node, cst.BaseExpression) and _is_set(flow, node, depth):
        many = not _is_one_at_most(flow, node, depth)
        return node if many and _has_strings(flow, node, depth) else None
    found, flow = flow.origin(node)
    call = flow.body.call_of(found)
    if call is None or call.name not in IN_ORDER or not depth:
        return None
    inner = (_gone_through(flow, arg.value, depth - 1) for arg in call.node.args)
    return next((names for names in inner if names is not None), None)


def _is_set(flow: Flowing, node: cst.CSTNode, depth: int) -> bool:
    node, flow = origin(flow, node)
    match node:
        case cst.Set() | cst.SetComp():
            return True
        case cst.BinaryOperation(left=left, operator=operator, right=right) if depth:
            sides = [_is_set(flow, side, depth - 1) or _is_keys(side) for side in (left, right)]
            return isinstance(operator, _OPERATORS) and any(sides)
        case cst.Call(func=cst.Attribute(value=base, attr=cst.Name(value=name))) if depth:
            return name in SET_METHODS and _is_set(flow, base, depth - 1)
        case cst.Call(func=cst.Name(value=name)):
            return name in SETS
    return False


def _has_strings(flow: Flowing, node: cst.CSTNode, depth: int) -> bool:
    """What is put into it, or into one of the sets that it is made of."""
    node, flow = origin(flow, node)
    match node:
        case (
            cst.Set(elements=elements) | cst.List(elements=elements) | cst.Tuple(elements=elements)
        ):
            return any(isinstance(each.value, _TEXT) for each in elements)
        case cst.SetComp(elt=elt) | cst.ListComp(elt=elt) | cst.GeneratorExp(elt=elt):
            return isinstance(elt, _TEXT)
        case cst.BinaryOperation(left=left, right=right) if depth:
            return any(_has_strings(flow, side, depth - 1) for side in (left, right))
        case cst.Call(args=args) if depth:
            if _is_keys(node):
                return True
            parts = [arg.value for arg in args]
            if isinstance(node.func, cst.Attribute):
                parts.append(node.func.value)
            return any(_has_strings(flow, part, depth - 1) for part in parts)
    return False


def _is_one_at_most(flow: Flowing, node: cst.CSTNode, depth: int) -> bool:
    node, flow = origin(flow, node)
    match node:
        case (
            cst.Set(elements=elements) | cst.List(elements=elements) | cst.Tuple(elements=elements)
        ):
            return len(elements) < 2 and not any(map(_is_starred, elements))
        case cst.BinaryOperation(left=left, operator=cst.BitAnd(), right=right) if depth:
            return any(_is_one_at_most(flow, side, depth - 1) for side in (left, right))
        case cst.BinaryOperation(left=left, operator=cst.Subtract()) if depth:
            return _is_one_at_most(flow, left, depth - 1)
        case cst.Call(func=cst.Attribute(value=base, attr=cst.Name(value=name))) if depth:
            sides = [base, *(arg.value for arg in node.args)] if name == _COMMON else [base]
            return name in _FEWER and any(_is_one_at_most(flow, s, depth - 1) for s in sides)
        case cst.Call(args=[cst.Arg(value=given)]) if depth:
            return last_word(node.func) in SETS and _is_one_at_most(flow, given, depth - 1)
    return False


def _is_starred(element: cst.BaseElement) -> bool:
    return isinstance(element, cst.StarredElement)


def _is_keys(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and last_word(node.func) == "keys" and not node.args
