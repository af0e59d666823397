"""An index beyond the end of an array, which JAX does not report."""

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.remarks import Fault


class OutOfBoundsIndex(Rule):
    """Reads or writes beyond the end of an array of JAX: nothing is raised.

    ## What happens
    `x[n]` of an array with n elements gives the last one, and `x.at[n].set(y)` writes nothing.
    NumPy raises an `IndexError` for both. An index that is one too large shifts a schedule, drops
    the last bin of a histogram or repeats the last frame of a trajectory.

    ## Instead
    Count from 0 to n - 1. Where an index may lie outside on purpose say so:
    `x.at[i].get(mode="fill", fill_value=0)`, `jnp.clip(i, 0, n - 1)`. To look for such indices,
    `x.at[i].get(mode="fill", fill_value=jnp.nan)` makes them visible.

    ## Not reported
    Indices that follow from data, unless they are positions in another array whose size is known.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                betas = jnp.linspace(0.0001, 0.02, 10)
                seen = []
                for step in range(1, 11):
                    seen.append(betas[step])  # ! out-of-bounds-index
            """,
            good="""
                import jax.numpy as jnp

                betas = jnp.linspace(0.0001, 0.02, 10)
                seen = []
                for step in range(10):
                    seen.append(betas[step])
            """,
            shows="float(seen[-1]) == float(seen[-2])",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def histogram(values, edges):
                    slot = jnp.searchsorted(edges, values, side="right") - 1
                    counts = jnp.zeros(edges.shape[0] - 1, jnp.int32)
                    return counts.at[slot].add(1)  # ! out-of-bounds-index


                counts = histogram(jnp.array([0.1, 0.9, 1.0]), jnp.linspace(0.0, 1.0, 5))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def histogram(values, edges):
                    slot = jnp.searchsorted(edges, values, side="right") - 1
                    slot = jnp.minimum(slot, edges.shape[0] - 2)
                    counts = jnp.zeros(edges.shape[0] - 1, jnp.int32)
                    return counts.at[slot].add(1)


                counts = histogram(jnp.array([0.1, 0.9, 1.0]), jnp.linspace(0.0, 1.0, 5))
            """,
            shows="int(counts.sum()) < 3",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("out of bounds"):
            yield _foreseen(fault)


def _foreseen(fault: Fault) -> Foreseen:
    index, size, axis, write = fault.text
    which = f"the index {index}" if index else "the largest index"
    where = f"axis {axis}, which has {size} elements" if size != "n" else f"axis {axis}"
    happens = "nothing is written there" if write else "JAX gives the last element instead"
    return Foreseen(
        (fault.path, fault.span),
        f"{which} lies beyond the end of {where}: {happens}, and nothing is raised",
        fault.places,
        fault.certain,
    )
