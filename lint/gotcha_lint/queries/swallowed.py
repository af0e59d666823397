"""Handlers that take whatever is raised, and what they do with it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Discard, Test
from gotcha_lint.analysis.syntax import last_word, walk
from gotcha_lint.analysis.values import is_tracer
from gotcha_lint.facts.concrete import NUMPY_ANSWERS_FALSE
from gotcha_lint.queries.casts import cast
from gotcha_lint.queries.traced import abstract, foreseen, is_flag
from gotcha_lint.rule import text_of

_BROAD = frozenset({"Exception", "BaseException"})
# The errors of tracers are TypeErrors; what names them, or `jax.errors`, was written for them.
_KNOWN = ("TypeError", "Tracer", "Concretization", "JAXTypeError", "JAXIndexError")
# Who writes such a word there knows that the code is traced.
_KNOWS = ("trac", "concret", "abstract", "jit", "compile", "static", "symbolic")


def swallows(node: cst.Try) -> cst.ExceptHandler | None:
    """The handler that takes a tracer's error without a word, and puts something in its place."""
    for handler in node.handlers:
        names = _caught(handler)
        if any(word in name for name in names for word in _KNOWN):
            return None
        if not names or names & _BROAD:
            return None if _answers(handler) or _knows(node) else handler
    return None


def asks(body: Body, node: cst.Try) -> Iterator[Call | Test]:
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
