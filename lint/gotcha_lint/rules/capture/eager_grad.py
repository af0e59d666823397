from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import each_turn, loop_places
from gotcha_lint.solve.programs import Programs


class EagerGrad(Rule):
    """Takes gradients outside of `jax.jit` at each step of a training loop.

    ## What happens
    Nothing fails and nothing is compiled again: `jax.grad` traces the loss again at each step and
    then runs it forwards and backwards operation by operation, each one dispatched from Python.
    Measured on CPU, a step is 32 times (small MLP) to 89 times (with an Adam update) slower than
    under one `jax.jit`. `jax.grad(jax.jit(loss))` runs compiled code, but differentiates it in
    Python at each call: 3 ms instead of 0.01 ms for 10 operations, 19 ms for 400.

    ## Instead
    Put the whole step (gradients and optimizer update) into one jitted function that takes
    parameters and batch as arguments.

    ## Not reported
    Code that is traced or may be: functions handed to `jit` somewhere in the project, libraries
    whose callers jit them, tests, loops of a few iterations.
    """

    confirmed_by = (("eager-grad", ""),)
    confidence = "medium"  # a second reader disagreed about one of its two findings on real code
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                calls = 0


                def loss(w, x):
                    global calls
                    calls += 1
                    return jnp.sum((w * x) ** 2)


                w = jnp.ones(3)
                for i in range(10):
                    x = jnp.full(3, 0.1 * i)
                    grads = jax.grad(loss)(w, x)  # ! eager-grad
                    w = w - 0.1 * grads
            """,
            good="""
                import jax
                import jax.numpy as jnp

                calls = 0


                def loss(w, x):
                    global calls
                    calls += 1
                    return jnp.sum((w * x) ** 2)


                @jax.jit
                def step(w, x):
                    return w - 0.1 * jax.grad(loss)(w, x)


                w = jnp.ones(3)
                for i in range(10):
                    x = jnp.full(3, 0.1 * i)
                    w = step(w, x)
            """,
            shows="calls > 1",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for (what, place), work in programs.updates.items():
            if what == "gradient":
                each = each_turn(work.loops, place[0])
                again = (
                    f"JAX differentiates the compiled {work.name} in Python again"
                    if work.name
                    else "the function is traced again and run operation by operation"
                )
                yield Foreseen(
                    place,
                    f"this gradient is not under `jit`: at each {each} {again}; jit the whole step",
                    (*work.places, *loop_places(work.loops)),
                    certain=work.certain,
                )
