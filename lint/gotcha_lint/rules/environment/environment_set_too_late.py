from collections.abc import Iterator

from gotcha_lint.facts.environment import READ_AT_IMPORT
from gotcha_lint.interpret.faults.remarks import AFTER_IMPORT
from gotcha_lint.interpret.start.startup import VARIABLE
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class EnvironmentSetTooLate(Rule):
    """Sets an environment variable after it was read, so that it does nothing.

    ## What happens
    No error and no effect: `JAX_*` variables are read while `jax` is imported, and are ignored
    afterwards: `JAX_ENABLE_X64=1` leaves float32. `XLA_FLAGS` is read when the backend starts, at
    the first array or question for devices: set after that, one device instead of four. Between the
    import and the first array `XLA_FLAGS` still works.

    ## Instead
    Set `JAX_*` above the first import of jax, flax or optax, or call `jax.config.update`; set
    `XLA_FLAGS` before anything makes an array.

    ## Not reported
    Variables set inside functions that the module does not call itself, where nothing above needs
    jax to be ready, or in files that start processes: they may be meant for those; a line that is
    above the import as well.

    ## The price
    A setting without effect.
    """

    severity = "error"
    confirmed_by = (("environment-set-too-late", ""),)
    examples = (
        Example(
            bad="""
                import os

                import jax
                import jax.numpy as jnp

                os.environ["JAX_ENABLE_X64"] = "1"  # ! environment-set-too-late

                x = jnp.ones(3)
            """,
            good="""
                import os

                os.environ["JAX_ENABLE_X64"] = "1"

                import jax
                import jax.numpy as jnp

                x = jnp.ones(3)
            """,
            unseen="the examples share one process, in which jax is imported already",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        after_import = list(programs.faults.of(AFTER_IMPORT))
        calls = {place[:2] for fault in after_import for place in fault.places}
        for late in programs.too_late:
            if late.kind == VARIABLE and late.place not in calls:
                read = (
                    "while jax is imported"
                    if late.setting in READ_AT_IMPORT
                    else ("when the backend starts")
                )
                by = f"`{late.by}`, at an import above," if late.imported else f"`{late.by}` above"
                yield Foreseen(
                    late.place,
                    f"`{late.setting}` is read {read}, and {by} has caused that; set it before",
                    ((*late.early, "starts the backend"),),
                )
        for fault in after_import:
            name, module = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`{name}` is read when jax is imported, which `import {module}` above has done; "
                f'set it before, or call `jax.config.update("{name.lower()}", ...)`',
                fault.places,
                fault.certain,
            )
