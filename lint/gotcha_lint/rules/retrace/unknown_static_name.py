from collections.abc import Iterator

from gotcha_lint.interpret.faults.jitted import NOT_A_PARAMETER
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class UnknownStaticName(Rule):
    """Declares a static or donated argument that the function does not have.

    ## What happens
    `ValueError: Jitted function has invalid argnames {'trian'} in static_argnames. Function does
    not take these args.` The same for `donate_argnames`. A position that is out of range fails in
    the same way, at decoration: `ValueError: Jitted function has donate_argnums=(3,), but only
    accepts 1 positional arguments.` Parameters after a `*` have no position.

    ## Instead
    Name a parameter of the function.

    ## Not reported
    `jax.pmap(f, donate_argnums=3)`: it takes any position, and donates nothing there.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                from functools import partial

                import jax


                @partial(jax.jit, static_argnames="trian")  # ! unknown-static-name
                def step(x, train):
                    return x * 2 if train else x
            """,
            good="""
                from functools import partial

                import jax


                @partial(jax.jit, static_argnames="train")
                def step(x, train):
                    return x * 2 if train else x
            """,
            raises="invalid argnames",
        ),
        Example(
            bad="""
                import jax


                def double(x):
                    return x * 2


                doubled = jax.jit(double, donate_argnums=1)  # ! unknown-static-name
            """,
            good="""
                import jax


                def double(x):
                    return x * 2


                doubled = jax.jit(double, donate_argnums=0)
            """,
            raises="donate_argnums=(1,), but only accepts 1 positional arguments",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(NOT_A_PARAMETER):
            wrong, option, given, count = fault.text
            if option.endswith("names"):
                how = "static" if option.startswith("static") else "donated"
                message = f"the function has no parameter `{wrong}` to be {how}"
            else:
                message = f"{option} {given} is out of range: {count} positional parameters"
            yield Foreseen((fault.path, fault.span), message, fault.places, fault.certain)
