from collections.abc import Iterator

from gotcha_lint.facts.removed import REMOVED
from gotcha_lint.interpret.faults.remarks import ABSENT_NAME
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(ABSENT_NAME):
            (name,) = fault.text
            row = REMOVED[name]
            if row.instead and self.options.has_reached(row.library, row.since):
                yield Foreseen(
                    (fault.path, fault.span),
                    f"`{name}` is gone from {row.by}, and without an `else` this silently does "
                    f"nothing there; use {row.instead}",
                )
