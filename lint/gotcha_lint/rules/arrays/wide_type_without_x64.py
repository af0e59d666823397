"""A type of 64 bits is asked for, and JAX gives one of 32 bits."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.checks import OVERFLOW
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.remarks import Fault

_NARROW = {
    "float64": "float32",
    "int64": "int32",
    "uint64": "uint32",
    "complex128": "complex64",
}


class WideTypeWithoutX64(Rule):
    """Asks for a type of 64 bits, which JAX does not have unless it is switched on.

    ## What happens
    JAX 0.10 to 0.12 print a `UserWarning` and give `float32` for `float64`, `int32` for `int64`: a
    condition number, a tail probability or an optimizer's tolerance that needs double precision is
    wrong by orders of magnitude. In NumPy the same line gives 64 bits. Whole numbers that outgrow
    32 bits wrap around without a word: `256 ** jnp.arange(5)` ends with 0.

    ## Instead
    `jax.config.update("jax_enable_x64", True)` before the first array is made, or
    `JAX_ENABLE_X64=1`; for one computation `with jax.enable_x64(True):`. Where 32 bits are enough
    write `jnp.float32`. What must be exact, as large counters, can stay with NumPy on the host.

    ## Not reported
    Projects that switch 64-bit types on in some file. Whole numbers are an info: most fit into 32
    bits. Functions that only others call are shown with `--all`: their callers may have switched it
    on.
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import numpy as np


                def hilbert(n):
                    i = np.arange(n)
                    return 1.0 / (i[:, None] + i + 1.0)


                a = jnp.array(hilbert(8), dtype=jnp.float64)  # ! wide-type-without-x64
                error = jnp.abs(jnp.linalg.solve(a, a @ jnp.ones(8)) - 1.0).max()
            """,
            good="""
                import numpy as np


                def hilbert(n):
                    i = np.arange(n)
                    return 1.0 / (i[:, None] + i + 1.0)


                a = hilbert(8)
                error = np.abs(np.linalg.solve(a, a @ np.ones(8)) - 1.0).max()
            """,
            shows="float(error) > 1e-3",
        ),
        Example(
            bad="""
                import jax.numpy as jnp

                place = 256 ** jnp.arange(1, 5)  # ! wide-type-without-x64
                weights = 1 / place
            """,
            good="""
                import jax.numpy as jnp

                place = 256.0 ** jnp.arange(1, 5)
                weights = 1 / place
            """,
            shows="bool(jnp.isinf(weights[-1]))",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        if programs.wide:
            return
        for fault in programs.faults.of("wide type"):
            yield _foreseen(fault)
        for fault in programs.faults.of(OVERFLOW):
            (reached,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"this reaches {reached}, and whole numbers have 32 bits here: it wraps around "
                "without a word; compute it in floating point, or with NumPy",
                fault.places,
                certain=fault.certain,
            )


def _foreseen(fault: Fault) -> Foreseen:
    asked, by = fault.text
    return Foreseen(
        (fault.path, fault.span),
        f"`{by}` asks for `{asked}` and gets `{_NARROW[asked]}`: 64-bit types are off; switch "
        "`jax_enable_x64` on, or write the type that you get",
        fault.places,
        certain=fault.certain and fault.scripted,
        severity="info" if "int" in asked else None,
    )
