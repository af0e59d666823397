from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.donated import ALIAS, INSIDE, TWICE
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class DonatedTwice(Rule):
    """Passes one array twice to a call that donates it.

    ## What happens
    `INVALID_ARGUMENT: Attempt to donate the same buffer twice in Execute()`; where only one of the
    two is donated: `Attempt to use a buffer that was previously donated in the same call`. It
    happens on the first step, while average and parameters are still the same arrays.

    ## Instead
    Start the second from a copy: `ema = jax.tree.map(jnp.copy, params)`.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def average(params, ema):
                    return params * 1.0, 0.9 * ema + 0.1 * params


                average = jax.jit(average, donate_argnums=(0, 1))

                params = jnp.ones(4)
                params, ema = average(params, params)  # ! donated-twice
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def average(params, ema):
                    return params * 1.0, 0.9 * ema + 0.1 * params


                average = jax.jit(average, donate_argnums=(0, 1))

                params = jnp.ones(4)
                params, ema = average(params, jnp.copy(params))
            """,
            raises="donate the same buffer twice",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(TWICE):
            if not is_test(fault.path):
                yield Foreseen(
                    (fault.path, fault.span), _message(*fault.text), fault.places, fault.certain
                )


def _message(how: str, name: str, other: str = "") -> str:
    if how == INSIDE:
        return (
            f"`{name}` holds the same arrays twice when it comes to this call, which donates it: "
            "start one of the two from a copy"
        )
    if how == ALIAS:
        return (
            f"`{name}` and `{other}` are still the same arrays in this call, which donates "
            f"`{name}`: start one of them from a copy"
        )
    return (
        f"`{name}` is given twice to a call that donates it: one buffer cannot be given away and "
        "used a second time"
    )
