from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis import varying
from gotcha_lint.analysis.changing import FEW
from gotcha_lint.analysis.sites import Bind, Call, Loop, Place
from gotcha_lint.analysis.syntax import dotted, source_of, walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.hashing import made_anew
from gotcha_lint.queries.jitted import Argument, called_name, static_arguments
from gotcha_lint.queries.places import is_hot, long_loops, repeated
from gotcha_lint.queries.stale import names_read
from gotcha_lint.rule import Example, Foreseen, Report, Rule, text_of
from gotcha_lint.rule_helpers.wording import called, each_turn, loop_places, variations
from gotcha_lint.solve.programs import Programs

_OBJECTS = frozenset({Kind.FUNCTION, Kind.OBJECT})


class ChangingStaticArgument(Rule):
    """Passes a number that changes at each step, or a new object, as a static argument.

    ## What happens
    A static argument is part of the program: each new value traces and compiles again. A step or
    an epoch counter as a static argument compiled 20 times in 20 steps, and the programs are kept.
    A lambda, a `partial`, an optimizer, and an object of a class without `__eq__` equal no other:
    made again at each call, each of them compiles another program too.

    ## Instead
    Pass it as an ordinary argument: Python numbers become traced scalars, and their values compile
    nothing. Where the number must be static (a size), use few values. Make the object once, or its
    class a frozen dataclass, which is equal where its values are.
    """

    preview = True
    roots = frozenset({"static_argnums", "static_argnames"})
    confirmed_by = (("recompile", "static-value"),)
    examples = (
        Example(
            bad="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                @partial(jax.jit, static_argnames="step")
                def decay(x, step):
                    return x * 0.9**step


                x = jnp.ones(3)
                for step in range(20):
                    decay(x, step)  # ! changing-static-argument
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def decay(x, step):
                    return x * 0.9**step


                x = jnp.ones(3)
                for step in range(20):
                    decay(x, step)
            """,
            compiles=15,
        ),
        Example(
            bad="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                class Config:
                    def __init__(self, depth):
                        self.depth = depth


                @partial(jax.jit, static_argnames="config")
                def apply(x, config):
                    return x * config.depth


                x = jnp.ones(3)
                for _ in range(20):
                    apply(x, Config(2))  # ! changing-static-argument
            """,
            good="""
                from dataclasses import dataclass
                from functools import partial

                import jax
                import jax.numpy as jnp


                @dataclass(frozen=True)
                class Config:
                    depth: int


                @partial(jax.jit, static_argnames="config")
                def apply(x, config):
                    return x * config.depth


                x = jnp.ones(3)
                for _ in range(20):
                    apply(x, Config(2))
            """,
            compiles=15,
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if is_test(site.body.model.path):
            return
        for argument in static_arguments(site):
            each = _each(site, argument) if argument.value.kind is Kind.STATIC else ""
            again = repeated(site) if argument.value.kind in _OBJECTS else ""
            if again and made_anew(site, argument):
                yield Report(
                    argument.node,
                    f"`{source_of(argument.node, 40)}` is a new object at each {again}, equal to "
                    f"no other: as a static argument of `{called_name(site)}` each compiles "
                    "another program",
                )
            if each:
                yield Report(
                    argument.node,
                    f"`{text_of(argument.node)}` is a static argument of `{called_name(site)}` and "
                    f"changes at each {each}: each value compiles another program",
                )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row, variation in variations(programs, "value", "object"):
            call = variation.call
            each, label = each_turn(variation.loops, call.path), variation.label
            if variation.kind == "value":
                what = f"has another value at each {each}"
                cure = "pass it as an ordinary argument, or use few values"
            else:
                what = f"is a new object at each {each}, equal to no other"
                cure = "make it once, or make its class a frozen dataclass"
            yield Foreseen(
                (call.path, call.span),
                f"the static argument `{label}` of {called(row.function)} {what}: one program is "
                f"compiled for each; {cure}",
                (*variation.places, *loop_places(variation.loops)),
                variation.certain,
            )


def _each(site: Call, argument: Argument) -> str:
    """What changes the number, in words; empty where it stays, or has few values."""
    mark, loops = varying.number_mark(argument.value), long_loops(site)
    if mark.endswith(varying.CALLED):
        return "call of this function" if is_hot(site.body) else ""
    if mark == varying.COUNTED:
        return repeated(site) if not site.at.guards else ""
    if not loops or any(_is_few(loop.over.literal) for loop in loops):
        return ""
    counted = mark and not mark.startswith(varying.PARAM) and _counts(site, argument.node)
    return "iteration of this loop" if counted or _moves(site, argument.node) else ""


def _counts(site: Call, node: cst.CSTNode) -> bool:
    """It is made of the variable of a loop around it, or of a counter in the loop."""
    loops = long_loops(site)
    counted = {name for loop in loops for name in loop.names}
    for bind in site.body.of(Bind):
        line = bind.at.statement
        small = line.body if isinstance(line, cst.SimpleStatementLine) else ()
        if loops[-1] in bind.at.loops and any(isinstance(one, cst.AugAssign) for one in small):
            counted.add(bind.name)
    for bind in site.body.of(Bind):
        # `lr = schedule(i)`: that it changes is in its mark.
        if bind.source is None or loops[-1] not in bind.at.loops:
            continue
        if any(name.value in counted for name in names_read(bind.source)):
            counted.add(bind.name)
    return any(name.value in counted for name in names_read(node))


def _moves(site: Call, node: cst.CSTNode) -> bool:
    """`scale` after `scale = scale * 0.5` in the loop, `len(losses)` of a list that grows in it."""
    parts = list(walk(node))
    if any(isinstance(part, _FEW_VALUED) for part in parts):
        return False
    names = {name.value for name in names_read(node)}
    lengths = {
        dotted(part.args[0].value)
        for part in parts
        if isinstance(part, cst.Call) and dotted(part.func) == "len" and part.args
    }
    loops = long_loops(site)
    changed = [bind for bind in site.body.of(Bind) if bind.name in names and _within(bind, loops)]
    grown = (
        call
        for call in site.body.of(Call)
        if call.name == "list.append" and _within(call, loops) and not call.at.guards
    )
    return (len(changed) == 1 and _multiplies(changed[0])) or any(
        dotted(call.node.func.value) in lengths
        for call in grown
        if isinstance(call.node.func, cst.Attribute)
    )


_FEW_VALUED = (cst.Modulo, cst.FloorDivide, cst.Comparison, cst.BooleanOperation, cst.IfExp)
_STEADY = (cst.Multiply, cst.Divide, cst.Add)


def _within(place: Place, loops: tuple[Loop, ...]) -> bool:
    return any(loop in place.at.loops for loop in loops)


def _multiplies(bind: Bind) -> bool:
    """`x = x * 0.5`, in every iteration: it never comes back to an old value."""
    match bind.source:
        case cst.BinaryOperation(left=cst.Name(value=name), operator=operator):
            return name == bind.name and isinstance(operator, _STEADY) and not bind.at.guards
    return False


def _is_few(literal: object) -> bool:
    return isinstance(literal, int) and literal <= FEW
