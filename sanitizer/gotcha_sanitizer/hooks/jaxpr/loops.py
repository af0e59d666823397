"""Loops and branches of a jaxpr: how JAX keeps their bodies is documented nowhere."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from gotcha_sanitizer.hooks import private
from gotcha_sanitizer.hooks.self_tests import Name


class Scan(NamedTuple):
    """A scan: of its operands, the first are constants, the next are carried."""

    body: Any
    length: int
    reverse: bool
    constants: int
    carried: int


class While(NamedTuple):
    """A while loop: `tests` operands are only its test's, the next, `constants`, its body's."""

    test: Any
    body: Any
    tests: int
    constants: int


def scan(equation: Any) -> Scan | None:
    """None where JAX keeps it in another way: it is one opaque operation then."""
    params = equation.params
    try:
        if private.COUNTS[0] in params:
            counts = [params[name] for name in private.COUNTS]
        else:
            counts = [len(each) for each in params[private.TREE].unpack()[:2]]
        return Scan(*(params[name] for name in private.SCAN), *counts)
    except (AttributeError, KeyError, TypeError):
        return None


def while_loop(equation: Any) -> While | None:
    """As `scan`."""
    found = [equation.params.get(name) for name in private.WHILE]
    return None if None in found else While(*found)


def branches(equation: Any) -> tuple[Any, ...]:
    """Of a cond; none where JAX keeps them in another way."""
    return tuple(equation.params.get(private.BRANCHES, ()))


def _has_loops(jax: Any) -> bool:
    """By the names that JAX's own functions for these operations take: nothing is traced."""
    scan = _parameters(jax, private.TAKES_SCAN)
    return (
        {*private.SCAN} <= scan
        and (scan >= {*private.COUNTS} or private.TREE in scan)
        and {*private.WHILE} <= _parameters(jax, private.TAKES_WHILE)
        and private.BRANCHES in _parameters(jax, private.TAKES_BRANCHES)
    )


def _parameters(jax: Any, function: str) -> set[str]:
    return set(inspect.signature(private.held(jax, function)).parameters)


NAME = Name(
    "parameters of scan, while and cond",
    _has_loops,
    "`first_nan`, keys and gradients: loops and branches are single operations",
)
