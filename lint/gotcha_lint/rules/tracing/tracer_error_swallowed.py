"""Handlers that take whatever is raised, and what they do with it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Discard, Test
from gotcha_lint.analysis.syntax import last_word, source_of, walk
from gotcha_lint.analysis.values import is_tracer
from gotcha_lint.facts.concrete import NUMPY_ANSWERS_FALSE
from gotcha_lint.queries.casts import cast
from gotcha_lint.queries.traced import abstract, foreseen, is_flag, surely_traced
from gotcha_lint.rule import Example, Report, Rule, text_of


class TracerErrorSwallowed(Rule):
    """Catches the error of a traced array that is asked for its value, and goes on without it.

    ## What happens
    While a function is traced, `float(x)`, `if x > 0` and numpy raise, whatever the arrays hold. A
    broad `except` takes that error for the rare one it was written for, and its fallback is what is
    compiled: at every call, for all values, without a message. Under `jax.disable_jit()` the same
    code does what it should.

    ## Instead
    Stay with `jnp` and `jnp.where`, which need no value; catch the one error that is meant, outside
    of the traced function.

    ## Not reported
    A handler that raises, that gives `None`, or whose text shows that it knows of tracing; an array
    that is asked and whose answer is not used; functions that are called outside of a trace too;
    tests.

    ## In a run
    Nothing: the error never leaves the `try`.

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.ConcretizationTypeError
    """

    severity = "error"
    roots = frozenset({"except"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def normalise(gradients):
                    try:
                        norm = float(jnp.linalg.norm(gradients))
                    except Exception:  # ! tracer-error-swallowed
                        norm = 1.0
                    return gradients / norm


                normal = normalise(jnp.array([3.0, 4.0]))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def normalise(gradients):
                    norm = jnp.linalg.norm(gradients)
                    return gradients / jnp.where(norm > 0, norm, 1.0)


                normal = normalise(jnp.array([3.0, 4.0]))
            """,
            shows="float(jnp.linalg.norm(normal)) > 2",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if not surely_traced(site) or site.hosted:
            return
        for node in walk(site.function.node, into_functions=False):
            handler = _swallows(node) if isinstance(node, cst.Try) else None
            asked = next(_asks(site, node), None) if handler and isinstance(node, cst.Try) else None
            if handler is not None and asked is not None:
                yield Report(
                    handler.type or handler,
                    f"`{source_of(asked.node)}` needs the value of a traced array: it raises in "
                    "every trace, this catches the error, and the fallback is compiled",
                    places=((asked.node, "raises while traced"),),
                    why_traced=True,
                )


_BROAD = frozenset({"Exception", "BaseException"})
# The errors of tracers are TypeErrors; what names them, or `jax.errors`, was written for them.
_KNOWN = ("TypeError", "Tracer", "Concretization", "JAXTypeError", "JAXIndexError")
# Who writes such a word there knows that the code is traced.
_KNOWS = ("trac", "concret", "abstract", "jit", "compile", "static", "symbolic")


def _swallows(node: cst.Try) -> cst.ExceptHandler | None:
    """The handler that takes a tracer's error without a word, and puts something in its place."""
    for handler in node.handlers:
        names = _caught(handler)
        if any(word in name for name in names for word in _KNOWN):
            return None
        if not names or names & _BROAD:
            return None if _answers(handler) or _knows(node) else handler
    return None


def _asks(body: Body, node: cst.Try) -> Iterator[Call | Test]:
    """What in the block of a `try` surely asks a traced array for its value."""
    inside, conditional = _inside(node), _conditions(node)
    left = {id(site.node) for site in body.of(Discard)}
    for site in body.sites:
        if not isinstance(site, Call | Test) or id(site.node) not in inside:
            continue
        sure = conditional.isdisjoint(id(guard.test) for guard in site.at.guards)
        if sure and id(site.node) not in left and _fails(body, site) and not foreseen(site):
            yield site


def _fails(body: Body, site: Call | Test) -> bool:
    if isinstance(site, Test):
        return abstract(body) and is_tracer(site.value) and not is_flag(site)
    silent = site.decorator or site.name in NUMPY_ANSWERS_FALSE
    return not silent and bool(cast(body, site))


def _inside(node: cst.Try) -> set[int]:
    """What stands in the block, and not in a `try` in it."""
    inner = [part for part in walk(node.body) if isinstance(part, cst.Try) and part.handlers]
    apart = {id(part) for one in inner for part in walk(one.body)}
    return {id(part) for part in walk(node.body)} - apart


def _conditions(node: cst.Try) -> set[int]:
    tests = (part for part in walk(node.body) if isinstance(part, cst.If | cst.IfExp | cst.While))
    return {id(part.test) for part in tests}


def _caught(handler: cst.ExceptHandler) -> set[str]:
    """The names of the errors it waits for; none where it takes all."""
    kind = handler.type
    kinds = [e.value for e in kind.elements] if isinstance(kind, cst.Tuple) else [kind]
    return {last_word(one) for one in kinds if one is not None}


def _answers(handler: cst.ExceptHandler) -> bool:
    """It raises, or says that there is no value: the caller hears of it."""
    for node in walk(handler.body):
        match node:
            case cst.Raise() | cst.Return(value=None):
                return True
            case cst.Return(value=value) | cst.Assign(value=value) if last_word(value) == "None":
                return True
    return False


def _knows(node: cst.Try) -> bool:
    """Its names or comments speak of tracing; not the name of this gotcha, in a comment."""
    text = text_of(node).lower().replace("tracer-error-swallowed", "")
    return any(word in text for word in _KNOWS)
