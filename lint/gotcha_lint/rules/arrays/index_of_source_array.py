"""Columns that were taken from an array are read by their numbers in that array."""

from collections.abc import Iterator

from gotcha_lint.patterns.local.taken_arrays import misread_arrays
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class IndexOfSourceArray(Rule):
    """Reads what was taken from an array by the numbers that it had there.

    ## What happens
    After `part = x[:, columns]` the columns of `part` are numbered from 0. `part[:, i]` for each
    `i` of `columns` reads other columns, and beyond the last one. NumPy raises an `IndexError`
    there. JAX reads the last column, without an error, and the model trains on the wrong inputs.

    ## Instead
    `for n, i in enumerate(columns): part[:, n]`, or read `x[:, i]`.

    ## Not reported
    Loops over anything but the very name that the columns were taken with.

    ## In a run
    Nothing.

    ## References
    https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html#out-of-bounds-indexing
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                x = jnp.arange(8.0).reshape(2, 4)
                columns = (1, 3)
                part = jnp.take(x, jnp.array(columns), axis=-1)
                read = [part[..., i] for i in columns]  # ! index-of-source-array
            """,
            good="""
                import jax.numpy as jnp

                x = jnp.arange(8.0).reshape(2, 4)
                columns = (1, 3)
                part = jnp.take(x, jnp.array(columns), axis=-1)
                read = [part[..., n] for n in range(len(columns))]
            """,
            shows="bool((read[0] == read[1]).all())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            for function in text.origins.links.bodies(text.module):
                for one in misread_arrays(text.origins, function):
                    message = (
                        f"`{one.taken}` holds only the part `{one.numbers}` of `{one.source}`, "
                        f"numbered from 0, and `{one.index}` is a number of `{one.source}`: this "
                        "reads another part, without an error in JAX; use `enumerate`"
                    )
                    places = ((function.path, one.made, "taken here"),)
                    yield Foreseen((function.path, one.span), message, places)
