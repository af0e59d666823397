"""A gradient with respect to whole numbers."""

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class GradIntInput(Rule):
    """Differentiates with respect to integers, which JAX refuses.

    ## What happens
    `grad requires real- or complex-valued inputs ..., but got int32`, a `TypeError`. One integer in
    a tree of parameters is enough: a step counter, token ids, a random key of the old kind.

    ## Instead
    Differentiate the parameters alone: split the tree, keep counters beside it, pass other
    arguments after the first or name them with `argnums`. `allow_int=True` gives such leaves a
    gradient of the type `float0`; with Equinox `eqx.filter_grad` leaves them out.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(params, x):
                    return jnp.mean((x @ params["w"]) ** 2)


                params = {"w": jnp.ones((3, 2)), "step": jnp.zeros((), jnp.int32)}
                grads = jax.grad(loss)(params, jnp.ones((4, 3)))  # ! grad-int-input
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(params, x):
                    return jnp.mean((x @ params["w"]) ** 2)


                state = {"params": {"w": jnp.ones((3, 2))}, "step": jnp.zeros((), jnp.int32)}
                grads = jax.grad(loss)(state["params"], jnp.ones((4, 3)))
            """,
            raises="grad requires real- or complex-valued inputs",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("gradient of integers"):
            (leaf,) = fault.text
            what = f"its leaf `{leaf}` holds" if leaf else "it holds"
            yield Foreseen(
                (fault.path, fault.span),
                f"the gradient is taken of an argument that has none: {what} integers, so "
                "this raises a `TypeError`; differentiate the floating leaves alone",
                fault.places,
                fault.certain,
            )
