from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Match
from gotcha_lint.queries.branches import Scan, Unreachable, statements_of
from gotcha_lint.queries.classes import readable
from gotcha_lint.queries.dispatch import shadowed_entries
from gotcha_lint.queries.reorder import swap
from gotcha_lint.rule import Example, Report, Rewrite, Rule

_TESTS = frozenset({"builtins.isinstance", "builtins.issubclass"})


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

    def check(self, site: Body) -> Iterator[Report]:
        tests = [call for call in site.of(Call) if call.name in _TESTS]
        if tests or next(site.of(Match), None) is not None:
            scan = Scan(site)
            scan.block(statements_of(site.function.node), ())
            fixed: set[int] = set()
            for late in scan.found:
                yield self._report(site, scan, late, fixed)
        for test in tests:
            for entry, special, general in shadowed_entries(site, test):
                message = (
                    f"never found: every `{special}` is taken by the entry for `{general}` above"
                )
                yield Report(entry, message)

    def _report(self, body: Body, scan: Scan, late: Unreachable, fixed: set[int]) -> Report:
        assert body.project is not None
        changes = swap(scan, late) if id(late.by.branch) not in fixed else ()
        fix = (
            Rewrite("test for the more specific class first", changes, safe=False)
            if changes
            else None
        )
        fixed.add(id(late.by.branch))
        special, general = readable(body.project, late.type), readable(body.project, late.by.type)
        return Report(
            _header(late.branch),
            f"never reached: every `{special}` passes the earlier test for `{general}`; test for "
            f"`{special}` first",
            fix,
            ((_header(late.by.branch), f"takes every `{general}`"),),
        )


def _header(branch: cst.CSTNode) -> cst.CSTNode:
    return branch.test if isinstance(branch, cst.If) else getattr(branch, "pattern", branch)
