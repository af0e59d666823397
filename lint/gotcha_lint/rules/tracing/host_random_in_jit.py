"""numpy's randomness, or a clock, in a traced function."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Call, Format
from gotcha_lint.analysis.syntax import dotted, literal, source_of
from gotcha_lint.queries.traced import surely_traced
from gotcha_lint.queries.undrawn import only_dropout_while_evaluating
from gotcha_lint.rule import Example, Report, Rule

_EFFECTS = {"random": "draws once, while tracing", "time": "reads the clock once, while tracing"}
_UNDER_JIT = frozenset(
    {"jit", "pmap", "nnx.jit", "nnx.pmap", "shard_map", "scan", "while", "fori", "map"}
)


class HostRandomInJit(Rule):
    """Draws from numpy's or Python's random numbers, or reads a clock, in a traced function.

    ## What happens
    The call runs while the function is traced, and its answer becomes a constant of the program:
    every later call has the same noise and the same time. Nothing fails.

    ## Instead
    `jax.random` with a key as an argument. Measure time outside, after `jax.block_until_ready`.

    ## Not reported
    Functions given to `jax.pure_callback`, `jax.debug.callback` or `io_callback`: they run on the
    host at each call. A time that only functions with `nonlocal` read, which set it again. Keys
    for dropout alone, where a model is applied without training.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def jitter(x):
                    return x + np.random.normal()  # ! host-random-in-jit


                moved = [jitter(jnp.zeros(())) for _ in range(2)]
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def jitter(x, key):
                    return x + jax.random.normal(key)


                keys = jax.random.split(jax.random.key(0))
                moved = [jitter(jnp.zeros(()), keys[n]) for n in range(2)]
            """,
            shows="bool(moved[0] == moved[1])",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        body = site.body
        if (
            site.decorator
            or not surely_traced(body)
            or body.trace is None
            or body.trace.roles.isdisjoint(_UNDER_JIT)
        ):
            return
        if any(shown.node is site.node for shown in body.of(Format)) or _is_text(site):
            return  # a name for something, made while tracing
        if _without_key(site) or _has_seed(site.node.func) or _kept_by_callbacks(site):
            return
        what = _EFFECTS.get(body.fact(site).effect) or _generator(site)
        if what and not only_dropout_while_evaluating(site):
            func = source_of(site.node.func)
            text = f"`{func}` {what}: the result is a constant of the compiled program"
            yield Report(site.node, text, why_traced=True)


def _without_key(call: Call) -> bool:
    """Where a parameter is None, as a key is for callers that are not traced."""
    params = call.body.function.params
    optional = {p.name for p in params if p.default is not None and dotted(p.default) == "None"}
    return any(guard.when and _asked(guard.test) in optional for guard in call.at.guards)


def _asked(test: cst.CSTNode) -> str | None:
    """`x` of `x is None`."""
    match test:
        case cst.Comparison(
            left=left,
            comparisons=[
                cst.ComparisonTarget(operator=cst.Is(), comparator=cst.Name(value="None"))
            ],
        ):
            return dotted(left)
    return None


def _is_text(call: Call) -> bool:
    """`str(now())`: no text enters a program."""
    return any(
        other.name == "builtins.str" and any(arg.value is call.node for arg in other.node.args)
        for other in call.body.of(Call)
    )


def _kept_by_callbacks(call: Call) -> bool:
    """`last = time()`, which only functions read that set it again: they run on the host."""
    function, name = call.body.function, _bound_to(call)
    if name not in function.shared or name in function.scope.loads:
        return False
    inner = [f for f in call.body.model.functions if name in f.captured and name in f.scope.loads]
    return bool(inner) and all(name in f.scope.nonlocal_names for f in inner)


def _bound_to(call: Call) -> str:
    line = call.at.statement
    match line.body if isinstance(line, cst.SimpleStatementLine) else ():
        case [cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]:
            return name if value is call.node else ""
    return ""


def _has_seed(func: cst.BaseExpression) -> bool:
    """`np.random.RandomState(1729).uniform`: the same numbers, whenever they are drawn."""
    match func:
        case cst.Attribute(value=cst.Call(args=[cst.Arg(value=seed), *_])):
            return isinstance(literal(seed), int)
    return False


def _generator(call: Call) -> str:
    """A method of `numpy.random.default_rng()`."""
    return _EFFECTS["random"] if call.name.startswith("numpy.random.Generator.") else ""
