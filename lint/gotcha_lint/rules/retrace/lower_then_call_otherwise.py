from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class LowerThenCallOtherwise(Rule):
    """Compiles a function ahead of time, and then calls it so that it compiles once more.

    ## What happens
    `step.lower(x, y).compile()` also serves `step(x, y)`, which then compiles nothing. It does not
    serve `step(x, y=y)`: an argument by its name makes another program, traced and compiled again.
    Nor does it with options, `compile({...})`: these are of the executable alone, which nothing
    calls.

    ## Instead
    Lower the function as it is called, or call the executable: `step = step.lower(x, y).compile()`.
    Options that are meant for all calls go to `jax.jit(step, compiler_options={...})`.

    ## Not reported
    Executables that are called, stored or handed on. Calls with `*args`, or with another number of
    arguments, or in a branch that the lowering does not lead to. Options by which the compiler
    dumps what it does. Tests.

    ## In a run
    Nothing: two programs of one function are not yet a pattern.
    """

    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, batch):
                    return params - 0.1 * batch


                params, batch = jnp.ones(3), jnp.ones(3)
                step.lower(params, batch).compile()  # ! lower-then-call-otherwise
                params = step(params, batch=batch)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, batch):
                    return params - 0.1 * batch


                params, batch = jnp.ones(3), jnp.ones(3)
                step.lower(params, batch=batch).compile()
                params = step(params, batch=batch)
            """,
            compiles=1,
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, batch):
                    return params - 0.1 * batch


                params, batch = jnp.ones(3), jnp.ones(3)
                options = {"xla_cpu_enable_fast_math": True}
                step.lower(params, batch).compile(options)  # ! lower-then-call-otherwise
                params = step(params, batch)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, batch):
                    return params - 0.1 * batch


                params, batch = jnp.ones(3), jnp.ones(3)
                options = {"xla_cpu_enable_fast_math": True}
                compiled = step.lower(params, batch).compile(options)
                params = compiled(params, batch)
            """,
            compiles=1,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for idle in programs.idle:
            why = "without these options"
            if not idle.by_options:
                why = "it gives other arguments by name than `lower`"
            yield Foreseen(
                idle.place,
                f"this executable is never called, and `{{}}` compiles again: {why}",
                ((*idle.called, "called here"),),
                idle.certain,
                quotes=(idle.called,),
            )
