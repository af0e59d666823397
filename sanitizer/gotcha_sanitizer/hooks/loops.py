"""Loops and branches of a jaxpr: how JAX keeps their bodies is documented nowhere.

Read in jax 0.10.2, 0.11.2 and 0.12.0.1.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from gotcha_sanitizer.hooks.self_tests import Name

COUNTS, TREE = ("num_consts", "num_carry"), "ft_in"  # of a scan, before jax 0.11 and since
SCAN = ("jaxpr", "length", "reverse")
WHILE = ("cond_jaxpr", "body_jaxpr", "cond_nconsts", "body_nconsts")
BRANCHES = "branches"


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
        if COUNTS[0] in params:
            counts = [params[name] for name in COUNTS]
        else:
            counts = [len(each) for each in params[TREE].unpack()[:2]]
        return Scan(*(params[name] for name in SCAN), *counts)
    except (AttributeError, KeyError, TypeError):
        return None


def while_loop(equation: Any) -> While | None:
    """As `scan`."""
    found = [equation.params.get(name) for name in WHILE]
    return None if None in found else While(*found)


def branches(equation: Any) -> tuple[Any, ...]:
    """Of a cond; none where JAX keeps them in another way."""
    return tuple(equation.params.get(BRANCHES, ()))


def _has_loops(jax: Any) -> bool:
    """By the names that JAX's own functions for these operations take: nothing is traced."""
    flow = jax._src.lax.control_flow
    scan = _parameters(flow.loops._scan_impl)
    return (
        {*SCAN} <= scan
        and (scan >= {*COUNTS} or TREE in scan)
        and {*WHILE} <= _parameters(flow.loops._while_loop_abstract_eval)
        and BRANCHES in _parameters(flow.conditionals._cond_abstract_eval)
    )


def _parameters(function: Any) -> set[str]:
    return set(inspect.signature(function).parameters)


NAME = Name(
    "parameters of scan, while and cond",
    _has_loops,
    "`first_nan`, keys and gradients: loops and branches are single operations",
)
