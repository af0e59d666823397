from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.new_functions import new_functions
from gotcha_lint.solve.programs import Programs


class JitOfBoundMethod(Rule):
    """Calls `jax.jit(self.method)(...)` at each step: the compiled program is lost each time.

    ## What happens
    `self.method` makes a new bound method, and JAX keeps a program only as long as its function
    lives. Here both are freed after the call, so the next one traces and compiles again. Worse,
    while an equal bound method is alive somewhere, its program is found, and it still has the
    attribute values of that time.

    ## Instead
    Jit once, in `__init__` or at module level, a function that takes what it needs as arguments.

    ## References
    https://github.com/jax-ml/jax/issues/19570, https://github.com/jax-ml/jax/issues/15338
    """

    confirmed_by = (("recompile", "new-function"),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                class Agent:
                    def policy(self, x):
                        return x * 2

                    def act(self, x):
                        return jax.jit(self.policy)(x)  # ! jit-of-bound-method


                agent = Agent()
                for _ in range(5):
                    agent.act(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                class Agent:
                    def __init__(self):
                        self._policy = jax.jit(self.policy)

                    def policy(self, x):
                        return x * 2

                    def act(self, x):
                        return self._policy(x)


                agent = Agent()
                for _ in range(5):
                    agent.act(jnp.ones(3))
            """,
            compiles=4,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for new in new_functions(programs, "method"):
            what = f"the bound method {new.name}" if new.row.function else "this bound method"
            yield new.foreseen(
                f"{what} is a new object at each {new.each}, and its compiled program is lost with "
                f"it: `{new.word}` compiles it each time; make the compiled function once, and "
                "keep it"
            )
