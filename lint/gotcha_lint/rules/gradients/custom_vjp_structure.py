from collections.abc import Iterator

from gotcha_lint.interpret.faults.derivatives import RULE
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class CustomVjpStructure(Rule):
    """Returns the wrong number of gradients from the backward function of a `custom_vjp`.

    ## What happens
    `TypeError: Custom VJP bwd rule must produce an output with the same container (pytree)
    structure as the args tuple of the primal function`, when the gradient is asked for. JAX checks
    the containers and shapes, but not whether the numbers are right: `jax.test_util.check_grads`
    does. A forward function that keeps nothing: `TypeError: Custom VJP fwd rule forward ... must
    produce a pair`; one with other arguments: `takes 1 positional argument but 2 were given`.

    ## Instead
    A tuple with one entry for each argument that is not in `nondiff_argnums`, also for those with
    a default; `None` stands for zero.

    ## Not reported
    Functions with `*args`, and backward functions that return what they were given.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.custom_vjp
                def scaled(x, factor):
                    return x * factor


                def forward(x, factor):
                    return scaled(x, factor), factor


                def backward(factor, cotangent):
                    return (cotangent * factor,)  # ! custom-vjp-structure


                scaled.defvjp(forward, backward)
                gradient = jax.grad(lambda x: scaled(x, 2.0).sum())(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.custom_vjp
                def scaled(x, factor):
                    return x * factor


                def forward(x, factor):
                    return scaled(x, factor), factor


                def backward(factor, cotangent):
                    return cotangent * factor, None


                scaled.defvjp(forward, backward)
                gradient = jax.grad(lambda x: scaled(x, 2.0).sum())(jnp.ones(3))
            """,
            raises="Custom VJP bwd rule must produce an output with the same container",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(RULE):
            yield Foreseen((fault.path, fault.span), fault.text[0], fault.places, fault.certain)
