"""Divisions by a norm, a deviation or a count that can be zero."""

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs

_ZERO = {
    "zero": "the divisor is zero here: a `ZeroDivisionError`, or with arrays NaN and infinity",
    "quotient": "the divisor is an integer quotient, which is zero where its divisor is larger: "
    "a `ZeroDivisionError`; keep it above zero, with `max(1, ...)`",
}
_WORDS = {
    "spread": "a norm or a deviation, which is zero for equal or zero elements",
    "count": "the number of selected elements, which is zero where none is selected",
}


class UnguardedDivision(Rule):
    """Divides by a norm, a standard deviation, the sum of a mask or a number that can be zero.

    ## What happens
    No error: the result is NaN or infinite. Equal rewards of a group have the deviation 0, a layer
    that starts with zeros has the norm 0, a row of padding has no selected element. One such row
    makes the mean of the batch NaN, and with it all parameters. A default can be zero too:
    `1 / (steps - 1)` with `steps=1`, or a counter before its first turn. Numbers of Python raise a
    `ZeroDivisionError`.

    ## Instead
    Add a small number, `x / (jnp.std(x) + 1e-6)`, or divide by at least one:
    `jnp.sum(x * mask) / jnp.maximum(mask.sum(), 1)`.

    ## Not reported
    What is drawn at random, and a zero that is written in the division itself. The divisor is
    certainly zero for arrays of zeros, and for numbers that are zero on the way there; all others
    are shown with `--all`, and so is the remainder `step % (total // size)`.
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                weights = jnp.zeros((3, 2))
                direction = weights / jnp.linalg.norm(weights, axis=0)  # ! unguarded-division
            """,
            good="""
                import jax.numpy as jnp

                weights = jnp.zeros((3, 2))
                direction = weights / (jnp.linalg.norm(weights, axis=0) + 1e-6)
            """,
            shows="bool(jnp.isnan(direction).any())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        seen: set[object] = set()  # the same count divides several sums
        for fault in sorted(programs.faults.of("division"), key=lambda fault: fault.span):
            (kind,) = fault.text
            if (fault.within, kind, fault.certain) in seen:
                continue
            seen.add((fault.within, kind, fault.certain))
            if kind in _ZERO:
                place = fault.path, fault.span
                yield Foreseen(place, _ZERO[kind], fault.places, fault.certain)
                continue
            yield Foreseen(
                (fault.path, fault.span),
                f"this divides by {_WORDS[kind]}: the result is NaN or infinite there; add a "
                "small number to the divisor, or bound it from below",
                fault.places,
                fault.certain,
            )
