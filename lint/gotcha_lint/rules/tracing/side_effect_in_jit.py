"""print and logging of traced values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Format, Operate, Place
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.queries.places import small_statements
from gotcha_lint.queries.traced import abstract, guarded, tracers
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
        texts = list(_formatted(site))
        reported: set[int] = set()
        for call in site.plain_calls():
            if (
                site.fact(call).effect not in _SHOWING
                or guarded(call)
                or _notes_the_call(site, call)
            ):
                continue
            inside = [f for f in texts if f.place.at.statement is call.at.statement]
            if inside or any(map(_shown, (*call.args, *call.kwargs.values()))):
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


def _message(call: Call, texts: list[_Formatted]) -> str:
    func = source_of(call.node.func)
    if any(text.spec for text in texts):
        return f"`{func}` formats a traced value, which has no value yet: this raises TypeError"
    return f"`{func}` runs once, while tracing, and shows a tracer: use `jax.debug.print`"


def _raises(place: Place) -> bool:
    return any(isinstance(small, cst.Raise | cst.Assert) for small in small_statements(place.at))


_TEXTS = frozenset({"builtins.str", "builtins.repr", "builtins.format"})
_FIELD = re.compile(r"\{[^{}]*\}")
_PERCENT = re.compile(r"%%|%[^a-zA-Z%]*[a-zA-Z]")


class _Formatted(NamedTuple):
    place: Place
    spec: bool  # asks for digits, which a tracer does not have: an error


def _formatted(body: Body) -> Iterator[_Formatted]:
    """All such places of a function."""
    for place in body.sites:
        match place:
            case Format() if _shows(place, (place.value,)):
                yield _Formatted(place, place.spec)
            case Call() if _is_text(place) and _shows(place, (*place.args, *place.kwargs.values())):
                yield _Formatted(place, _one_field(place))
            case Operate() if place.left.of == "str" and _percent(place):
                yield _Formatted(place, _one_number(place.left.literal))


def _shown(value: Value) -> bool:
    """A traced value, or one in a list, a tuple or a dict, would be seen in the text."""
    if value.kind is Kind.LIST and value.of == "dict" and not value.maybe:
        return any(map(_shown, value.items))
    return any(tracers(value))


def _shows(place: Place, values: tuple[Value, ...]) -> bool:
    return any(map(_shown, values)) and not guarded(place)


def _is_text(call: Call) -> bool:
    method = call.name == "static.format" and call.base is not None and call.base.of == "str"
    return not call.decorator and (method or call.name in _TEXTS)


def _percent(place: Operate) -> bool:
    """`"%s" % x`; the result of other operators on a text is no text."""
    left = place.left.literal
    written = isinstance(left, str) and _PERCENT.search(left) is not None
    return written and place.result.kind is not Kind.STATIC and _shows(place, (place.right,))


def _one_field(call: Call) -> bool:
    """`"{:.3f}".format(x)`: with more fields it is not plain which of them is traced."""
    text = call.base.literal if call.base is not None else None
    fields = _FIELD.findall(text) if isinstance(text, str) else []
    return bool(fields) and all(":" in field for field in fields)


def _one_number(text: object) -> bool:
    kinds = [found[-1] for found in _PERCENT.findall(text)] if isinstance(text, str) else []
    return bool(kinds) and all(kind in "defgiouxXEFG" for kind in kinds)
