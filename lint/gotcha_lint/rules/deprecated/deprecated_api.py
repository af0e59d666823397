from collections.abc import Iterator

from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.deprecated import ARGUMENTS, DEPRECATED, JIT_ARGUMENTS, POSITIONAL
from gotcha_lint.facts.releases import Removed
from gotcha_lint.facts.removed import REMOVED
from gotcha_lint.queries.guarded import asks, unguarded
from gotcha_lint.queries.removed_uses import is_set, renamed, uses_of
from gotcha_lint.rule import Example, Report, Rule


class DeprecatedApi(Rule):
    """Uses a function or argument that still works, with a warning that it will go.

    ## What happens
    `DeprecationWarning: optax.global_norm is deprecated in favor of optax.tree.norm`. Python shows
    such warnings in the main file and in tests only, so most are never seen, until a release that
    no longer has the name.

    ## Instead
    The message names the replacement; where it takes the same arguments the fix puts it in.

    ## Not reported
    Uses inside `try` with `except ImportError` or `AttributeError`, and behind a question for the
    version or for the name itself; what warns only from a release later than `target-jax`,
    `target-flax` or `target-optax`.
    What is gone in that release is `removed-api`.

    ## The price
    A warning. The run, with the release that no longer has the name.

    ## References
    https://docs.jax.dev/en/latest/changelog.html
    """

    severity = "info"
    examples = (
        Example(
            bad="""
                import warnings

                import jax.numpy as jnp
                import optax

                grads = {"w": jnp.ones(3)}
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    norm = optax.global_norm(grads)  # ! deprecated-api
            """,
            good="""
                import warnings

                import jax.numpy as jnp
                import optax

                grads = {"w": jnp.ones(3)}
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    norm = optax.tree.norm(grads)
            """,
            shows="any('deprecated' in str(one.message) for one in caught)",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if site.function.number == 0:
            yield from self._names(site)
        for call in site.of(Call):
            if call.name == "jax.jit" or _is_for_jit(call):
                yield from _arguments(call)
            yield from self._by_position(call)
            yield from _kept_for_older_code(call)

    def _by_position(self, call: Call) -> Iterator[Report]:
        most, since = POSITIONAL.get(call.name, (0, (0, 0)))
        given = [arg for arg in call.node.args if arg.keyword is None]
        if not most or call.starred or len(given) <= most or since > self.options.target_jax:
            return
        text = f"`{call.name}` takes {most} arguments by position; name the others"
        yield Report(given[most], text)

    def _names(self, site: Body) -> Iterator[Report]:
        uses = [use for use in uses_of(site, DEPRECATED) if self._warns(use.name, use.row)]
        if not uses:
            return
        free = {id(node) for node in unguarded(site.model, [use.node for use in uses])}
        for use in uses:
            if id(use.node) in free and not is_set(site, use.node):
                instead = f"; use {use.row.instead}" if use.row.instead else ""
                yield Report(
                    use.shown,
                    f"`{use.name}` is deprecated in {use.row.by}{instead}",
                    renamed(site, use),
                )

    def _warns(self, name: str, row: Removed) -> bool:
        gone, reached = REMOVED.get(name), self.options.has_reached
        return reached(row.library, row.since) and (
            gone is None or not reached(gone.library, gone.since)
        )


def _kept_for_older_code(call: Call) -> Iterator[Report]:
    if call.name not in ARGUMENTS or call.starred:
        return
    position, name, instead = ARGUMENTS[call.name]
    given = call.arg(position, name)
    node = call.arg_node(position, name)
    if given is not None and node is not None and given.kind is not Kind.NONE:
        word = call.name.rpartition(".")[2]
        yield Report(node, f"`{name}` of `{word}` is deprecated: {instead}")


def _is_for_jit(call: Call) -> bool:
    """`partial(jax.jit, backend="cpu")`."""
    first = call.arg(0)
    jit = first is not None and first.kind is Kind.NAMED and first.of == "jax.jit"
    return call.name == "functools.partial" and jit


def _arguments(call: Call) -> Iterator[Report]:
    for arg in call.node.args:
        word = arg.keyword.value if arg.keyword else ""
        given = call.kwargs.get(word)
        if word not in JIT_ARGUMENTS or given is None or given.literal is None:
            continue
        if not any(asks(guard.test, {"jit", word}) for guard in call.at.guards):
            yield Report(arg, f"`{word}` of `jax.jit` is deprecated; use jax.device_put")
