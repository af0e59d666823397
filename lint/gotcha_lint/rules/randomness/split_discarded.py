"""A key that is split for nothing."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Discard, Place
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.analysis.unread import is_read
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.random import KEY_MAKERS
from gotcha_lint.rule import Example, Report, Rule


class SplitDiscarded(Rule):
    """Splits a random key, or folds into it, and does not use the result.

    ## What happens
    Nothing: `jax.random.split(key)` does not advance the key, as a stateful generator would. The
    next draw gives the same numbers: an agent that split this way took five equal actions.

    ## Instead
    `key, subkey = jax.random.split(key)`, and draw from `subkey`.

    ## References
    https://docs.jax.dev/en/latest/random-numbers.html
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax

                key = jax.random.key(0)
                first = jax.random.uniform(key)
                jax.random.split(key)  # ! split-discarded
                second = jax.random.uniform(key)  # gotcha: allow[key-reuse] known
            """,
            good="""
                import jax

                key, subkey = jax.random.split(jax.random.key(0))
                first = jax.random.uniform(subkey)
                key, subkey = jax.random.split(key)
                second = jax.random.uniform(subkey)
            """,
            shows="bool(first == second)",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if is_test(site.model.path):
            return
        for place in site.sites:
            thrown = _thrown_away(site, place)
            if thrown is not None and _makes_keys(site, thrown):
                text = f"`{source_of(thrown)}` returns new keys and does not change the old one"
                yield Report(thrown, f"{text}: its result is thrown away")
            elif (
                isinstance(place, Bind) and _makes_keys(site, place.source) and _unused(site, place)
            ):
                yield Report(place.node, f"the new key `{place.name}` is never used")


def _thrown_away(body: Body, place: Place) -> cst.CSTNode | None:
    """What a statement computes for nothing: `f(x)` alone, or `_ = f(x)` where no one reads `_`."""
    if isinstance(place, Discard):
        return place.node
    if isinstance(place, Bind) and place.name == "_" and "_" not in body.function.scope.loads:
        return place.source
    return None


def _makes_keys(body: Body, node: cst.CSTNode | None) -> bool:
    call = body.call_of(node)
    return call is not None and call.name in KEY_MAKERS


def _unused(body: Body, place: Bind) -> bool:
    """Bound in a function and never read; a module's names may be read by others."""
    inside = not isinstance(body.function.node, cst.Module)
    return inside and not place.name.startswith("_") and not is_read(body.function, place.name)
