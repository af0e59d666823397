from collections.abc import Iterator

from gotcha_lint.interpret.faults.remarks import CAUGHT_IN_VAIN
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class ExceptNeverRaised(Rule):
    """Waits for an error of numpy or Python that arrays of JAX never raise.

    ## What happens
    `jnp.linalg.inv` of a singular matrix gives nan or inf, and so do `solve` and `cholesky`, where
    numpy raises `LinAlgError`; an array divided by zero gives inf, nan, or for integers some
    number, and no `ZeroDivisionError`. What stands under `except` never runs, and the result goes
    on into all that is computed from it.

    ## Instead
    Ask for the value: `jnp.where(jnp.isfinite(inverse).all(), inverse, fallback)`; or compute in
    numpy on the host, which raises.

    ## Not reported
    A `try` in which anything else may raise the error: functions of other libraries or of the
    project, numbers divided by numbers.

    ## In a run
    `non-finite-value`, where the value is read.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import numpy as np

                singular = jnp.ones((2, 2))
                try:
                    inverse = jnp.linalg.inv(singular)
                except np.linalg.LinAlgError:  # ! except-never-raised
                    inverse = jnp.linalg.pinv(singular)
            """,
            good="""
                import jax.numpy as jnp
                import numpy as np

                singular = jnp.ones((2, 2))
                inverse = jnp.linalg.inv(singular)
                inverse = jnp.where(jnp.isfinite(inverse).all(), inverse, jnp.linalg.pinv(singular))
            """,
            shows="not bool(jnp.isfinite(inverse).all())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(CAUGHT_IN_VAIN):
            error, caught = fault.text
            text = _WHY[error]
            yield Foreseen((fault.path, fault.span), f"{text} `{caught}`: this never runs")


_WHY = {
    "LinAlgError": "`jax.numpy.linalg` gives nan or inf and raises no",
    "ZeroDivisionError": "arrays of JAX are divided by zero without a",
}
