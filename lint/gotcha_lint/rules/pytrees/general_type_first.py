from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.interpret.faults.remarks import DEAD_BRANCH, DEAD_ENTRY
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.nodes import walk


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
        fixed: set[object] = set()
        for fault in programs.faults.of(DEAD_BRANCH):
            special, general, fix = fault.text
            early = fault.places[0][:2]
            yield Foreseen(
                (fault.path, fault.span),
                f"never reached: every `{special}` passes the earlier test for `{general}`; test "
                f"for `{special}` first",
                fault.places,
                hint="" if early in fixed else fix,
            )
            fixed.add(early)
        for fault in programs.faults.of(DEAD_ENTRY):
            special, general, _ = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"never found: every `{special}` is taken by the entry for `{general}` above",
            )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, model: FileModel
    ) -> Rewrite | None:
        changes = _swap(hint, node, model.tree) if hint else ()
        title = "test for the more specific class first"
        return Rewrite(title, changes, safe=False) if changes else None


def _swap(hint: str, node: cst.CSTNode, tree: cst.CSTNode) -> tuple[Change, ...]:
    """The two branches exchanged; nothing where that could change which of the others runs."""
    for part in walk(tree):
        if hint == "next" and isinstance(part, cst.IndentedBlock | cst.Module):
            pairs = zip(part.body, part.body[1:], strict=False)
            for early, late in pairs:
                if isinstance(late, cst.If) and late.test is node and isinstance(early, cst.If):
                    return _exchanged((early, late))
        elif hint.startswith("case") and isinstance(part, cst.Match):
            cases = part.cases
            for place, case in enumerate(cases):
                if case.pattern is node:
                    early = cases[place - int(hint.removeprefix("case "))]
                    return _exchanged((early.pattern, case.pattern), (early.body, case.body))
        elif hint.isdecimal() and isinstance(part, cst.If):
            late = _later(part, int(hint))
            if late is not None and late.test is node:
                return _exchanged((part.test, late.test), (part.body, late.body))
    return ()


def _later(first: cst.If, steps: int) -> cst.If | None:
    """The branch so many `elif` later, if those between ask for one thing each."""
    current: cst.BaseSuite | cst.If | cst.Else | None = first
    for step in range(steps):
        if not isinstance(current, cst.If) or (step and not isinstance(current.test, cst.Call)):
            return None
        current = current.orelse
    return current if isinstance(current, cst.If) else None


def _exchanged(*pairs: tuple[cst.CSTNode, cst.CSTNode]) -> tuple[Change, ...]:
    return tuple(Change(a, like=b) for pair in pairs for a, b in (pair, pair[::-1]))
