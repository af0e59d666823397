from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.donated import GONE
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class UseAfterDonation(Rule):
    """Reads an array whose buffer was donated to a jitted call before.

    ## What happens
    `RuntimeError: Array has been deleted with shape=float32[4,4].` Passed to another jitted
    function: `INVALID_ARGUMENT: ... Buffer has been deleted or donated.` It fails on CPU too. A
    common case is `best_params = params`, which copies nothing: the next step gives both away; so
    is `state = TrainState.create(params=params)`, whose steps give `params` away too. `.shape` and
    `.is_deleted()` still work. A buffer is only taken for a result of the same shape and type:
    where there is none, JAX warns that it was not usable, and the array stays.

    ## Instead
    Bind the result to the donated name in the same statement, `state = step(state, batch)`, and
    keep what must live on as a copy: `jax.tree.map(jnp.copy, params)`. `jnp.asarray` does not copy.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                step = jax.jit(lambda p, x: p - 0.1 * x, donate_argnums=0)

                params = jnp.ones(4)
                best_params = params
                params = step(params, jnp.ones(4))
                print(best_params)  # ! use-after-donation
            """,
            good="""
                import jax
                import jax.numpy as jnp

                step = jax.jit(lambda p, x: p - 0.1 * x, donate_argnums=0)

                params = jnp.ones(4)
                best_params = jnp.copy(params)
                params = step(params, jnp.ones(4))
                print(best_params)
            """,
            raises="Array has been deleted",
        ),
        Example(
            bad="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                @partial(jax.jit, donate_argnames="state")
                def step(state, x):
                    return state + x


                state = jnp.zeros(4)
                new_state = step(state, jnp.ones(4))
                print(jnp.abs(new_state - state).max())  # ! use-after-donation
            """,
            good="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                @partial(jax.jit, donate_argnames="state")
                def step(state, x):
                    return state + x


                state = jnp.zeros(4)
                before = jnp.copy(state)
                state = step(state, jnp.ones(4))
                print(jnp.abs(state - before).max())
            """,
            raises="Array has been deleted",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(GONE):
            if not is_test(fault.path):
                yield Foreseen(
                    (fault.path, fault.span), _message(*fault.text), fault.places, fault.certain
                )


def _message(name: str, donated: str, again: str) -> str:
    if again:
        return f"`{name}` is donated in every iteration: the second has none left"
    if name == donated:
        return f"`{name}` was donated, so its buffer is gone: reading it raises RuntimeError"
    other = f"`{donated}`" if donated else "an argument"
    return f"`{name}` shares its buffers with {other}, which was donated: keep a copy"
