from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.new_functions import new_functions
from gotcha_lint.solve.programs import Programs


class JitInLoop(Rule):
    """Jits a new function in each iteration of a loop, each hot call, or for each leaf.

    ## What happens
    JAX finds compiled programs by the identity of the function. A lambda, a nested `def`, and the
    result of `jax.vmap` or `jax.grad` are new objects each time they are evaluated, so nothing is
    ever found: each step is traced and compiled again, and each program is kept in memory. What
    `jax.tree.map` is given runs once for each leaf: 20 leaves of one shape, 20 compilations.

    ## Why
    `jax.jit(train_step)` of a function of the module is a cache hit even inside the loop, because
    `train_step` is the same object each time. It is the *new function*, not `jit`, that costs.

    ## Instead
    Jit once, before the loop or at module level, and call that.

    ## Not reported
    Functions that are kept (in a cache, an attribute, a list), compiled ahead of time, used in an
    inner loop, or made around another model or configuration each iteration; loops that sleep until
    there is something to do, those of two iterations, and those more than three calls away, which
    mostly go over whole runs; benchmarks, which warm a function up and hand it on to be timed
    (`timed(lambda: f(x))`). What a function captures of the data of the iteration is the business
    of `jit-captures-batch`.
    """

    confirmed_by = (("recompile", "new-function"),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                x = jnp.ones(3)
                for _ in range(5):
                    x = jax.jit(lambda v: v * 0.5)(x)  # ! jit-in-loop
            """,
            good="""
                import jax
                import jax.numpy as jnp

                halve = jax.jit(lambda v: v * 0.5)

                x = jnp.ones(3)
                for _ in range(5):
                    x = halve(x)
            """,
            compiles=4,
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(w, x):
                    return jnp.sum((w * x) ** 2)


                def step(w, x):
                    grads = jax.jit(jax.grad(loss))(w, x)  # ! jit-in-loop
                    return w - 0.1 * grads


                w = jnp.ones(3)
                for i in range(5):
                    w = step(w, jnp.full(3, float(i)))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(w, x):
                    return jnp.sum((w * x) ** 2)


                gradient = jax.jit(jax.grad(loss))


                def step(w, x):
                    return w - 0.1 * gradient(w, x)


                w = jnp.ones(3)
                for i in range(5):
                    w = step(w, jnp.full(3, float(i)))
            """,
            compiles=4,
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                params = {f"layer{i}": jnp.ones(3) for i in range(5)}
                halved = jax.tree.map(
                    lambda leaf: jax.jit(lambda v: v * 0.5)(leaf),  # ! jit-in-loop
                    params,
                )
            """,
            good="""
                import jax
                import jax.numpy as jnp

                params = {f"layer{i}": jnp.ones(3) for i in range(5)}
                halved = jax.tree.map(jax.jit(lambda v: v * 0.5), params)
            """,
            compiles=4,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for new in new_functions(programs, "lambda", "closure", "transform"):
            if new.data:
                continue
            what = {"lambda": "this lambda", "closure": new.name}.get(
                new.made, f"the function made of {new.name} here"
            )
            if new.once:
                yield new.foreseen(
                    f"each {new.each} makes {what} again, compiles it, calls it once and drops it: "
                    f"`{new.word}` it once, outside"
                )
            else:
                yield new.foreseen(
                    f"{what} is a new function at each {new.each}, and `{new.word}` finds programs "
                    f"by the identity of the function: one is compiled for each; `{new.word}` it "
                    "once, outside"
                )
