"""print and logging of traced values."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Format, Place
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.queries.calls import plain_calls
from gotcha_lint.queries.formatted import Formatted, formatted, shown
from gotcha_lint.queries.small import small_statements
from gotcha_lint.queries.traced import abstract, guarded
from gotcha_lint.rule import Example, Report, Rule

_SHOWING = frozenset({"print", "log"})


class SideEffectInJit(Rule):
    """Prints, logs or formats a traced value.

    ## What happens
    Python runs only while the function is traced, so the line appears once per compilation, not
    once per call (1 print in 5 steps), and shows `JitTracer(float32[])` instead of a number. A
    format with a specification, `f"{loss:.3f}"`, raises `TypeError: unsupported format string
    passed to DynamicJaxprTracer.__format__`.

    ## Instead
    `jax.debug.print("{}", loss)`, or return the value and print it outside.

    ## Not reported
    Text without a traced value: a common way to see when a function is traced. Messages of
    exceptions.
    """

    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(x):
                    loss = jnp.sum(x**2)
                    print(f"loss {loss:.3f}")  # ! side-effect-in-jit
                    return x - loss


                step(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(x):
                    loss = jnp.sum(x**2)
                    jax.debug.print("loss {:.3f}", loss)
                    return x - loss


                step(jnp.ones(3))
            """,
            raises="TypeError",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if not abstract(site):
            return
        texts = list(formatted(site))
        reported: set[int] = set()
        for call in plain_calls(site):
            if site.fact(call).effect not in _SHOWING or guarded(call):
                continue
            if _notes_the_trace(site, call):
                continue
            inside = [f for f in texts if f.place.at.statement is call.at.statement]
            if inside or any(map(shown, (*call.args, *call.kwargs.values()))):
                reported.add(id(call.at.statement))
                yield Report(call.node, _message(call, inside), why_traced=True)
        for place, spec in texts:
            if spec and id(place.at.statement) not in reported and not _raises(place):
                text = f"a format specification cannot show the traced `{source_of(place.node)}`"
                if not isinstance(place, Format):
                    text = f"`{source_of(place.node, 40)}` needs the digits of a traced value"
                yield Report(place.node, text, why_traced=True)


def _notes_the_trace(body: Body, call: Call) -> bool:
    """`logging.info("step(batch=%s)", batch)` as the first line of `step`: meant for the trace."""
    node = body.function.node
    if not isinstance(node, cst.FunctionDef) or not isinstance(node.body, cst.IndentedBlock):
        return False
    own = {param.name for param in body.function.params}
    text, *given = [arg.value for arg in call.node.args] or [node]
    lines = [line for line in node.body.body if not _is_text(line)]
    return (
        "logging" in call.name.split(".")
        and isinstance(text, cst.SimpleString)
        and body.function.name in text.value
        and bool(given)
        and lines[:1] == [call.at.statement]
        and all(isinstance(each, cst.Name) and each.value in own for each in given)
    )


def _is_text(line: cst.CSTNode) -> bool:
    """A docstring."""
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    return isinstance(small, cst.Expr) and isinstance(
        small.value, cst.SimpleString | cst.ConcatenatedString
    )


def _message(call: Call, texts: list[Formatted]) -> str:
    func = source_of(call.node.func)
    if any(text.spec for text in texts):
        return f"`{func}` formats a traced value, which has no digits yet: this raises TypeError"
    return f"`{func}` runs once, while tracing, and shows a tracer: use `jax.debug.print`"


def _raises(place: Place) -> bool:
    return any(isinstance(small, cst.Raise | cst.Assert) for small in small_statements(place.at))
