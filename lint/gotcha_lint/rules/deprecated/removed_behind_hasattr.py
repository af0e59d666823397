from collections.abc import Iterator

from gotcha_lint.analysis.sites import Body
from gotcha_lint.queries.asked_for import asked_for, does_nothing_else
from gotcha_lint.rule import Example, Report, Rule


class RemovedBehindHasattr(Rule):
    """Asks for a name that is gone with `hasattr`, and has no other way for newer releases.

    ## What happens
    No error. `hasattr` is False from the release on that no longer has the name, and what stands
    under the `if` never runs again: caches stay full, the report lacks a line.

    ## Instead
    Write the new way; the old one into an `else` branch, if older releases are still served. The
    message names the replacement. The releases to check against are those of `target-jax`,
    `target-flax` and `target-optax`.

    ## Not reported
    An `if` with `else` or `elif`, or that leaves the function; blocks that set a name which is used
    elsewhere; functions that use the replacement as well, or ask for a version; classes, asked for
    to tell old objects; names that nothing replaces, as what they did is always on now.

    ## In a run
    Nothing: code that does not run leaves no trace.

    ## References
    https://docs.jax.dev/en/latest/changelog.html
    """

    roots = frozenset({"hasattr", "getattr"})
    examples = (
        Example(
            bad="""
                import jax

                report = [jax.__version__]
                if hasattr(jax.lib, "xla_bridge"):  # ! removed-behind-hasattr
                    report.append(jax.lib.xla_bridge.get_backend().platform)
            """,
            good="""
                import jax

                report = [jax.__version__]
                report.append(jax.default_backend())
            """,
            shows="len(report) == 1",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        for asked in asked_for(site):
            row = asked.row
            gone = row.instead and self.options.has_reached(row.library, row.since)
            if gone and does_nothing_else(site, asked):
                yield Report(
                    asked.test,
                    f"`{asked.name}` is gone from {row.by}, and without an `else` this silently "
                    f"does nothing there; use {row.instead}",
                )
