from collections.abc import Iterator

from gotcha_lint.interpret.faults.traced import CAST, LOOKED_UP
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import place_in
from gotcha_lint.solve.programs import Programs

_CASTS = {
    "method": "`{}()` on a traced array: it has no value yet",
    "number": "`{}` needs a number, and `{}` gives it a traced array",
    "mapped": "`{}` calls `{}` with traced arrays, which have no values",
    "numpy": "`{}` needs a numpy array, which a traced one cannot become: use `jnp`",
    "false": "`{}` cannot see into a traced array and answers False: use `jnp`",
}
_CURES = {
    "list": "a list cannot be indexed by a traced value: use `jax.lax.switch`, or stack it and "
    "index the stack",
    "array": "a numpy array cannot be indexed by a traced value: use `jnp.asarray(...)[i]`",
}


class HostCastOfTracer(Rule):
    """Turns a traced array into a Python number or a numpy array.

    ## What happens
    `float(x)`, `int(x)`, `x.item()`, `x.tolist()` and `math.sqrt(x)` raise
    `ConcretizationTypeError: Abstract tracer value encountered where concrete value is expected`;
    `np.asarray(x)`, `np.sqrt(x)` and most of numpy raise `TracerArrayConversionError`.
    `np.array_equal(a, b)` raises nothing and answers False, whatever the arrays hold.

    ## Instead
    Stay with `jnp`, whose functions have the same names. Cast outside, on what the function
    returns.

    ## Not reported
    The numpy functions that only call a method of their argument (`np.sum`, `np.mean`, `np.max`,
    `np.reshape`, ...) or read its shape: they work. In a helper, what waits for an optional
    argument that no traced call is seen to give, or to leave out.

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerArrayConversionError
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def normalise(x):
                    return x / np.linalg.norm(x)  # ! host-cast-of-tracer


                normalise(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def normalise(x):
                    return x / jnp.linalg.norm(x)


                normalise(jnp.ones(3))
            """,
            raises="TracerArrayConversionError",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(CAST, LOOKED_UP):
            here = fault.path, fault.span
            if fault.kind == LOOKED_UP:
                yield Foreseen(here, _CURES[fault.text[0]], fault.places, fault.certain)
                continue
            how, quotes = fault.text[0], (place_in(fault), here)
            if how == "mapped":
                quotes = place_in(fault), place_in(fault, 1)
            yield Foreseen(here, _CASTS[how], fault.places, fault.certain, quotes=quotes)
