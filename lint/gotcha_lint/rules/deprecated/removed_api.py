from collections.abc import Iterator

from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.facts.releases import Removed
from gotcha_lint.facts.removed import KEYWORDS
from gotcha_lint.queries.guarded import asks, unguarded
from gotcha_lint.queries.removed_uses import Use, is_set, renamed, uses_of
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule

_CALLS = KEYWORDS.keys() | {"array.device"}


class RemovedApi(Rule):
    """Uses a function, module or argument that JAX, Flax or Optax no longer has.

    ## What happens
    `AttributeError: module 'jax' has no attribute 'tree_map'`, or `ImportError` as soon as the file
    is imported. Code that asks `hasattr` first silently does nothing from that release on.

    ## Instead
    The message names the replacement; where it takes the same arguments the fix puts it in. The
    releases to check against are those of `target-jax`, `target-flax` and `target-optax`.

    ## Not reported
    Uses inside `try` with `except ImportError` or `AttributeError`, and behind a question for the
    version or for the name itself.

    ## References
    https://docs.jax.dev/en/latest/changelog.html
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                params = {"w": jnp.ones(3)}
                doubled = jax.tree_map(lambda w: 2 * w, params)  # ! removed-api
            """,
            good="""
                import jax
                import jax.numpy as jnp

                params = {"w": jnp.ones(3)}
                doubled = jax.tree.map(lambda w: 2 * w, params)
            """,
            raises="module 'jax' has no attribute 'tree_map'",
        ),
        Example(
            bad="""
                import jax.numpy as jnp

                clipped = jnp.clip(jnp.arange(5), a_min=1, a_max=3)  # ! removed-api, removed-api
            """,
            good="""
                import jax.numpy as jnp

                clipped = jnp.clip(jnp.arange(5), min=1, max=3)
            """,
            raises="got an unexpected keyword argument",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if site.function.number == 0:
            uses = [use for use in uses_of(site) if self._gone(use.row)]
            if uses:
                free = {id(node) for node in unguarded(site.model, [use.node for use in uses])}
                set_here = {use.name for use in uses if is_set(site, use.node)}
                for use in uses:
                    if id(use.node) in free and use.name not in set_here:
                        yield Report(use.shown, _message(use), renamed(site, use))
        for call in site.of(Call):
            if call.name not in _CALLS or call.decorator:
                continue
            words = {*call.name.split("."), *(dotted(call.node.func) or "").split(".")}
            if any(asks(guard.test, words) for guard in call.at.guards):
                continue
            if call.name in KEYWORDS:
                yield from self._keywords(call)
            elif not call.args and call.base and not call.base.maybe:
                fix = Rewrite("drop the call", (Change(call.node, like=call.node.func),))
                yield Report(
                    call.node,
                    "`device` of an array is an attribute now; calling it raises TypeError",
                    fix,
                )

    def _gone(self, row: Removed) -> bool:
        return self.options.has_reached(row.library, row.since)

    def _keywords(self, call: Call) -> Iterator[Report]:
        for arg in call.node.args:
            row = KEYWORDS[call.name].get(arg.keyword.value) if arg.keyword else None
            if row is None or arg.keyword is None or not self._gone(row):
                continue
            fix = (
                Rewrite(f"call it `{row.instead}`", (Change(arg.keyword, row.instead),))
                if row.rename
                else None
            )
            instead = f"; use {row.instead}" if row.instead else ""
            yield Report(arg, f"`{call.name}` no longer takes `{arg.keyword.value}`{instead}", fix)


def _message(use: Use) -> str:
    instead = f"; use {use.row.instead}" if use.row.instead else ""
    return f"`{use.name}` is gone from {use.row.by}{instead}"
