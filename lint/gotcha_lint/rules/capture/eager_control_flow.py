from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import each_turn, loop_places
from gotcha_lint.solve.programs import Programs


class EagerControlFlow(Rule):
    """Calls `lax.scan`, `cond`, `while_loop` or `fori_loop` outside of `jit` with a new function.

    ## What happens
    Outside of `jit` these functions compile their body by themselves, and find what they compiled
    by the identity of the body. A lambda or a local `def` is a new object each time: scan, while
    and fori compiled 5 times in 5 calls, cond 6 times, against once with a function of the module.

    ## Instead
    Jit the function around it, or move the body to module level and pass what it captures.
    """

    confidence = "medium"
    confirmed_by = (("eager-control-flow", ""),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def total(xs):
                    def body(carry, x):
                        return carry + x, None

                    return jax.lax.scan(body, 0.0, xs)[0]  # ! eager-control-flow


                for _ in range(5):
                    print(total(jnp.ones(3)))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def total(xs):
                    def body(carry, x):
                        return carry + x, None

                    return jax.lax.scan(body, 0.0, xs)[0]


                for _ in range(5):
                    print(total(jnp.ones(3)))
            """,
            compiles=3,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for body in programs.eager:
            if not body.loops:
                yield Foreseen(
                    (body.path, body.span),
                    f"`{body.what}` gets a new body at each call of `{body.within.name}`: "
                    "outside of a trace it compiles each time; move the body to module "
                    "level, or `jit` the function around it",
                    body.places,
                    certain=False,
                )
                continue
            each = each_turn(body.loops, body.path)
            yield Foreseen(
                (body.path, body.span),
                f"`{body.what}` runs outside of `jit` with a body that is a new function at each "
                f"{each}: it compiles each time; `jit` the function around it, or move the body to "
                "module level",
                (*body.places, *loop_places(body.loops)),
                certain=body.certain,
            )
