from collections.abc import Iterator
from math import prod

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.jitted import given_to_jit
from gotcha_lint.queries.large import LARGE, assigned, why_large
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.rule_helpers.wording import KIB, MIB, called, lines_of, listed, size
from gotcha_lint.solve.programs import Capture, CompiledFunction, Programs

_SHAPE_AT = {
    "zeros": 0,
    "ones": 0,
    "full": 0,
    "empty": 0,
    "normal": 1,
    "uniform": 1,
    "randint": 1,
    "rand": 0,
}


class LargeConstantCaptured(Rule):
    """Captures a large array in a jitted function: it is baked into the program.

    ## What happens
    A captured array is a constant of the traced program, of the text that is compiled, and of the
    executable, once per compiled shape: a table of 67 MB made 134 MB of program text and compiled
    in 0.55 s instead of 0.007 s. JAX warns of it only above 2 GB
    (`jax_captured_constants_warn_bytes`).

    ## Instead
    Pass the array as an argument: it stays where it is, and is not copied.

    ## Not reported
    Small arrays, and arrays whose size is not known, unless they are the weights that a model's
    `apply` is given: those are large, wherever they come from.
    """

    roots = frozenset({"jit", "pmap", "shard_map"})
    confirmed_by = (("large-constant-captured", ""),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                table = jnp.zeros((1024, 1024))


                @jax.jit
                def look_up(i):
                    return table[i]  # ! large-constant-captured


                size = len(look_up.lower(0).as_text())
            """,
            good="""
                import jax
                import jax.numpy as jnp

                table = jnp.zeros((1024, 1024))


                @jax.jit
                def look_up(table, i):
                    return table[i]


                size = len(look_up.lower(table, 0).as_text())
            """,
            unseen="zeros are compressed in the program's text; random numbers would make it slow",
        ),
    )

    def check(self, body: Body) -> Iterator[Report]:
        if is_test(body.model.path):
            return
        for call in body.of(Call):
            yield from _in_jitted(call)
        yield from _in_traced(body)

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row in programs.compiled.values():
            if row.captures:
                yield _foreseen(row)


def _in_jitted(call: Call) -> Iterator[Report]:
    """What the function captures that this call of jit is given."""
    function = given_to_jit(call)
    if function is None or function.parent is None:
        return
    for name, use in function.captured.items():
        if function.parent is call.body.function:
            binds = [bind for bind in call.body.of(Bind) if bind.name == name]
            why = _large(binds[0]) if len(binds) == 1 else ""
        else:
            made = assigned(function.parent, name) if function.parent.outer else None
            why = why_large(function.parent, made)
        if why:
            jit = call.result.via[-1].name
            place = (call.node, f"`{function.name}` is given to `{jit}` here")
            yield _report(use, name, why, function.name, (place,))


def _in_traced(body: Body) -> Iterator[Report]:
    """What a function that is traced under jit reads of its module."""
    trace, function, module = body.trace, body.function, body.model.module
    if trace is None or trace.soft or BOUNDARIES.isdisjoint(trace.roles):
        return
    for name, use in function.captured.items():
        owner = function.scope.outer(name)
        if owner is not module.scope or _is_captured_around(function, name):
            continue
        why = why_large(module, assigned(module, name))
        if why and not _is_jitted_in_module(body):
            yield _report(use, name, why, function.name)


def _is_captured_around(function: Function, name: str) -> bool:
    """The function around it captures it too, for this one."""
    parent = function.parent
    return parent is not None and parent.outer is not None and name in parent.captured


def _is_jitted_in_module(body: Body) -> bool:
    """Given to jit at the top of its own file: reported there."""
    assert body.trace is not None
    model = body.model
    if not body.trace.direct or body.function.parent is not model.module:
        return False
    (path, number), _ = body.trace.chain[-1]
    if path != model.path or number < 0:
        return path == model.path
    node = model.node(number)
    node = model.stand_ins.get(id(node), node)
    return any(part is node for part in walk(model.tree, into_functions=False)) or (
        isinstance(body.function.node, cst.FunctionDef)
        and any(part is node for one in body.function.node.decorators for part in walk(one))
    )


def _report(
    use: cst.CSTNode,
    name: str,
    why: str,
    function: str,
    places: tuple[tuple[cst.CSTNode, str], ...] = (),
) -> Report:
    return Report(
        use,
        f"`{name}` ({why}) is captured by `{function}`: it becomes a constant of "
        f"every program compiled from it; pass it as an argument",
        places=places,
        why_traced=not places,
    )


def _large(bind: Bind) -> str:
    """Why the array is large, as far as its origin shows."""
    why, call = why_large(bind.body.function, bind.source), bind.body.call_of(bind.source)
    if why or call is None or bind.value.kind not in (Kind.ARRAY, Kind.HOST):
        return why
    position = _SHAPE_AT.get(call.name.rpartition(".")[2])
    count = _count(call.arg(position, "shape", "size")) if position is not None else 0
    return f"{count:,} elements" if count >= LARGE else ""


def _count(shape: Value | None) -> int:
    literal = shape.literal if shape is not None else None
    sizes = literal if isinstance(literal, tuple) else (literal,)
    known = [size for size in sizes if isinstance(size, int)]
    return prod(known) if len(known) == len(sizes) else 0


def _foreseen(row: CompiledFunction) -> Foreseen:
    """One finding for all that a function captures; small arrays, or unknown ones, only *may*.

    The weights of a model are not small, whatever their size is.
    """
    weights = next((capture for capture in row.captures if capture.is_weights), None)
    if weights is not None:
        return _of_weights(row, weights)
    whole = max(row.captures, key=lambda capture: capture.total)
    parts = [c for c in row.captures if c.call is whole.call]
    parts.sort(key=lambda c: -1 if c.bytes is None else -c.bytes)
    names = list(dict.fromkeys(str(c.location[1]).strip("[]{}") or "a list" for c in parts))
    unknown = any(c.bytes is None for c in parts)
    total = whole.total
    known = f"{size(total)} of arrays" if total else "arrays of unknown size"
    also = ", and others of unknown size" if total and unknown else ""
    function = row.function
    place = (function.path, (function.line, 1, function.line, 1)) if function else row.site.origin
    origins = dict.fromkeys((*c.origin, "made here") for c in parts if c.origin)
    calls = ((row.site.path, row.site.span, "compiled here"),)
    return Foreseen(
        place,
        f"{called(function)} captures {known} ({listed(names)}){also}: they become constants of "
        "each program that is compiled from it; pass them as arguments",
        (*origins, *calls, (whole.call.path, whole.call.span, "called here")),
        certain=total >= 64 * KIB,
        severity="warning" if total >= MIB else "info",
        about=lines_of(function),
    )


def _of_weights(row: CompiledFunction, capture: Capture) -> Foreseen:
    function, name = row.function, str(capture.location[1])
    used = ((*capture.origin, f"`{name}` is given to `apply` here"),) if capture.origin else ()
    place = (function.path, (function.line, 1, function.line, 1)) if function else row.site.origin
    return Foreseen(
        place,
        f"{called(function)} captures the weights `{name}`: they become constants of each program "
        "that is compiled from it; pass them as an argument",
        (*used, (row.site.path, row.site.span, "compiled here")),
        severity="info" if row.is_kept else "warning",
        about=lines_of(function),
    )
