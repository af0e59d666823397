from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import libcst as cst

from gotcha_lint.patterns.local.type_orders import Shadowed, shadowed_types
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree
from gotcha_lint.text.nodes import walk

_BLOCKS = (cst.IndentedBlock, cst.Module)


class GeneralTypeFirst(Rule):
    """Tests for a general type before a special one, so that the special branch never runs.

    ## What happens
    Optax states are named tuples, so `isinstance(x, tuple)` takes them; `FrozenDict` and
    `nnx.State` are mappings; `bool` is an `int`; linen modules and `flax.struct` classes are
    dataclasses. The later branch is dead and nothing says so: a serializer turns the state into a
    plain tuple and the fault shows after the next restore, `AttributeError: 'tuple' object has no
    attribute 'mu'`.

    ## Instead
    Test for the special class first, or let `jax.tree.map` rebuild the containers. The order counts
    in `if` chains, in `match` statements and in tables of types that are searched in turn;
    `functools.singledispatch` finds the nearest class by itself.
    """

    severity = "error"
    confirmed_by = (("general-type-first", ""),)
    examples = (
        Example(
            bad="""
                from typing import NamedTuple

                import jax
                import jax.numpy as jnp


                class Moments(NamedTuple):
                    mu: jax.Array
                    nu: jax.Array


                def as_host(state):
                    if isinstance(state, tuple):
                        return tuple(as_host(part) for part in state)
                    elif isinstance(state, Moments):  # ! general-type-first
                        return Moments(as_host(state.mu), as_host(state.nu))
                    return jax.device_get(state)


                saved = as_host(Moments(jnp.zeros(3), jnp.ones(3)))
            """,
            good="""
                from typing import NamedTuple

                import jax
                import jax.numpy as jnp


                class Moments(NamedTuple):
                    mu: jax.Array
                    nu: jax.Array


                def as_host(state):
                    if isinstance(state, Moments):
                        return Moments(as_host(state.mu), as_host(state.nu))
                    elif isinstance(state, tuple):
                        return tuple(as_host(part) for part in state)
                    return jax.device_get(state)


                saved = as_host(Moments(jnp.zeros(3), jnp.ones(3)))
            """,
            shows="not hasattr(saved, 'mu')",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            links = text.origins.links
            for function in links.bodies(text.module):
                for late in shadowed_types(links, function):
                    yield _foreseen(function.path, late)

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        if not hint or not isinstance(statement, cst.If) or statement.test is not node:
            return None
        line, column = map(int, hint.split(":"))
        start = file.source.offset(line, column)
        tests = (each for each in walk(file.tree) if isinstance(each, cst.If))
        early = next((i for i in tests if file.positions.span(i.test)[0] == start), None)
        changes = _swap(early, statement, file) if early is not None else ()
        if not changes:
            return None
        return Rewrite("test for the more specific class first", changes, safe=False)


def _foreseen(path: str, late: Shadowed) -> Foreseen:
    special, general = late.special, late.general
    if late.in_table:
        message = f"never found: every `{special}` is taken by the entry for `{general}` above"
        return Foreseen((path, late.span), message)
    message = (
        f"never reached: every `{special}` passes the earlier test for `{general}`; test for "
        f"`{special}` first"
    )
    place = path, late.by, f"takes every `{general}`"
    hint = f"{late.by[0]}:{late.by[1]}" if late.alone else ""
    return Foreseen((path, late.span), message, (place,), hint=hint)


def _swap(early: cst.If, late: cst.If, file: FileTree) -> tuple[Change, ...]:
    """The two branches exchanged; nothing where that could change which of the others runs."""
    current: cst.BaseSuite | cst.If | cst.Else | None = early.orelse
    if current is None and late.orelse is None:
        return _exchanged((early, late)) if _follows(early, late, file) else ()
    while isinstance(current, cst.If) and current is not late:
        if not isinstance(current.test, cst.Call):
            return ()
        current = current.orelse
    if current is not late:
        return ()
    return _exchanged((early.test, late.test), (early.body, late.body))


def _follows(early: cst.If, late: cst.If, file: FileTree) -> bool:
    """Are they statements of one block, one after the other?"""
    blocks = (each.body for each in walk(file.tree) if isinstance(each, _BLOCKS))
    return any(a is early and b is late for block in blocks for a, b in pairwise(block))


def _exchanged(*pairs: tuple[cst.CSTNode, cst.CSTNode]) -> tuple[Change, ...]:
    return tuple(Change(a, like=b) for pair in pairs for a, b in (pair, pair[::-1]))
