"""print and logging of traced values."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Format, Place
from gotcha_lint.analysis.syntax import source_of
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
    Text without a traced value: a common way to see when a function is traced; so is a note of
    the call itself, `logging.info("step(batch=%s)", batch)` in `step`. Messages of exceptions.
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
        for call in site.plain_calls():
            if (
                site.fact(call).effect not in _SHOWING
                or guarded(call)
                or _notes_the_call(site, call)
            ):
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


def _notes_the_call(body: Body, call: Call) -> bool:
    first = call.node.args[0].value if call.node.args else None
    start = f"{body.function.name}("
    return isinstance(first, cst.SimpleString) and first.raw_value.startswith(start)


def _message(call: Call, texts: list[Formatted]) -> str:
    func = source_of(call.node.func)
    if any(text.spec for text in texts):
        return f"`{func}` formats a traced value, which has no value yet: this raises TypeError"
    return f"`{func}` runs once, while tracing, and shows a tracer: use `jax.debug.print`"


def _raises(place: Place) -> bool:
    return any(isinstance(small, cst.Raise | cst.Assert) for small in small_statements(place.at))
