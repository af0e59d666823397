"""Loops that call a jitted function for each row of an array, and join what it returns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.filling import filled_by
from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Bind, Body, Call, Index, Iterate, Loop, Place, Store
from gotcha_lint.analysis.syntax import (
    dotted,
    last_word,
    literal,
    names_in,
    source_of,
    target_names,
    walk,
)
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.concrete import CASTS
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.pipelines import COPIES, GATHERS, GROUPS, MAPPED, TRANSFERS
from gotcha_lint.queries.expected import is_benchmark
from gotcha_lint.queries.jitted import called_name, compiled
from gotcha_lint.queries.places import long_loops
from gotcha_lint.rule import Example, Report, Rule


class LoopOverExamples(Rule):
    """Calls a jitted function for each row of an array, and stacks the results.

    ## What happens
    No error. Each row is cut out and handed to the function by itself, and the stack compiles a
    program with as many inputs as there are rows. A thousand rows of 16 numbers through a small
    layer took 9.7 ms; `jax.vmap` under `jax.jit` 0.02 ms. Where one row alone keeps the device
    busy, as with 256 by 256 matrices on two cores, both took the same time.

    ## Instead
    `jax.jit(jax.vmap(f))(xs)`, with `in_axes=(None, 0)` for what is the same for all. Where all at
    once do not fit into memory: `jax.lax.map(f, xs, batch_size=64)`.

    ## Not reported
    Loops that hand something from one iteration to the next, leave early or skip iterations; loops
    over what is not known to be an array, as a loader or a list; rows called batches, chunks or
    folds, or cut by `split` or `reshape`; functions that are mapped already, here or elsewhere in
    the file; modules of nnx, which a call may change; up to eight rows that are written out; tests
    and benchmarks.

    ## In a run
    The sanitizer says nothing: each call by itself is right.

    ## References
    https://docs.jax.dev/en/latest/automatic-vectorization.html
    """

    preview = True
    confidence = "medium"
    roots = frozenset({"stack", "concatenate", "vstack", "hstack", "array", "asarray", "mean"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def predict(w, x):
                    return jnp.tanh(w @ x)


                w, images = jnp.ones((8, 16)) / 16, jnp.ones((100, 16))
                outputs = jnp.stack([predict(w, x) for x in images])  # ! loop-over-examples
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def predict(w, x):
                    return jnp.tanh(w @ x)


                w, images = jnp.ones((8, 16)) / 16, jnp.ones((100, 16))
                outputs = jax.jit(jax.vmap(predict, in_axes=(None, 0)))(w, images)
            """,
            compiles=2,
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if not site.eager or is_test(site.model.path) or is_benchmark(site):
            return
        seen: set[int] = set()
        for join in site.of(Call):
            each = _called_for_each(join) if not join.decorator else None
            if each is not None and id(each.call.node) not in seen:
                seen.add(id(each.call.node))
                yield Report(
                    each.call.node,
                    f"`{source_of(each.call.node.func, 30)}` is called for each row of "
                    f"`{source_of(each.rows, 30)}`: `jax.vmap` of it takes all rows in one call",
                    places=((join.node, "joined here"),),
                )


_FEW = 8  # rows: a choice that is written out, not examples
_ROWS = frozenset({Kind.ARRAY, Kind.HOST, Kind.KEY})
# What is called so has many examples in each row.
_MANY = ("batch", "chunk", "block", "fold", "shard", "window", "split")
_IN_PLACE = frozenset({"nnx.jit", "nnx.pmap"})  # they change the modules that they are given
_LEAVES = (cst.Break, cst.Continue, cst.Return, cst.Yield, cst.Try)


class _Each(NamedTuple):
    call: Call  # of the jitted function
    rows: cst.BaseExpression  # the array that is gone through


def _called_for_each(join: Call) -> _Each | None:
    """The call that makes each item of what is joined here, from a row of an array."""
    items = join.arg_node(0) if join.name in GATHERS and not join.starred else None
    if items is None:
        return None
    made = Flowing(join.body, join.at).resolve(items)
    if isinstance(made, cst.ListComp | cst.GeneratorExp):
        return _each(join, made.elt) if not any(f.ifs for f in _clauses(made)) else None
    add = _only_append(join, items.value) if isinstance(items, cst.Name) else None
    item = add.arg_node(0) if add is not None else None
    if add is None or item is None or add.at.guards != join.at.guards:
        return None
    return _each(join, Flowing(join.body, add.at).resolve(item))


def _clauses(node: cst.BaseComp) -> list[cst.CompFor]:
    return [part for part in walk(node) if isinstance(part, cst.CompFor)]


def _each(join: Call, item: cst.CSTNode) -> _Each | None:
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


def _rows(call: Call, loop: Loop) -> _Each | None:
    """The array whose rows it is given; None where it is given anything else that changes."""
    body, found = call.body, None
    changing = loop.names | _bound_in(loop)
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
    return _Each(call, found) if found is not None else None


def _says_many(name: str) -> bool:
    return any(word in name.lower() for word in _MANY)


def _of_row(body: Body, loop: Loop, node: cst.CSTNode) -> cst.BaseExpression | None:
    """The array of which this is one row: `x` of `for x in xs`, or `xs[i]` of a counter."""
    if isinstance(node, cst.Name):
        for site in body.of(Iterate):
            for array, value, target in _sources(body, site) if site.loop is loop else ():
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


_IN_STEP = frozenset({"builtins.zip", "builtins.enumerate", "builtins.reversed"})


def _sources(
    body: Body, site: Iterate
) -> Iterator[tuple[cst.BaseExpression, Value, cst.CSTNode | None]]:
    """What a loop goes through, alone or in step, each with the target of its items."""
    target = _target(site)
    if isinstance(site.node, cst.BaseExpression):
        yield site.node, site.value, target
    call = body.call_of(site.node)
    if call is None or call.name not in _IN_STEP or call.starred:
        return
    parts = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else [target]
    if call.name == "builtins.enumerate":
        parts = parts[1:]
    for arg, value, part in zip(call.node.args, call.args, parts, strict=False):
        yield arg.value, value, part


def _target(site: Iterate) -> cst.CSTNode | None:
    node = site.loop.node
    if isinstance(node, cst.For):
        return node.target
    clauses = (part for part in walk(node) if isinstance(part, cst.CompFor))
    return next((clause.target for clause in clauses if clause.iter is site.node), None)


def _bound_in(loop: Loop) -> set[str]:
    """The names that the loop assigns, parts of them too: `state` of `state.x = f(x)`."""
    return {
        name.value
        for part in walk(loop.node)
        if isinstance(part, cst.AssignTarget | cst.AugAssign | cst.NamedExpr)
        for name in (*target_names(part.target), *_heads(part.target))
    }


def _heads(target: cst.CSTNode) -> Iterator[cst.Name]:
    while isinstance(target, cst.Attribute | cst.Subscript):
        target = target.value
    if isinstance(target, cst.Name):
        yield target


_ADDED = frozenset({"list.append"})


def _only_append(join: Call, name: str) -> Call | None:
    """`rows.append(...)`, where it is all that the list of this name is filled by."""
    adds = [
        call
        for call in join.body.of(Call)
        if call.name in _ADDED and dotted(call.node.func) == f"{name}.append"
    ]
    binds = [bind for bind in join.body.of(Bind) if bind.name == name]
    if len(adds) != 1 or len(binds) != 1 or not long_loops(adds[0]):
        return None
    return adds[0] if len(long_loops(join)) < len(long_loops(adds[0])) else None
