from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.stale_state import stale
from gotcha_lint.solve.programs import Programs


class StaleSelf(Rule):
    """Reads an attribute of a static `self` that changes after the method was compiled.

    ## What happens
    With `static_argnums=0` (or `jax.jit(self.method)`) the object is not data but part of the
    cache's key, hashed by its identity. Its attributes are read once, while the method is traced:
    after the weights were set to zero, the output was unchanged. The cache also keeps every
    instance alive (10 of 10 after a garbage collection).

    ## Instead
    Pass what changes as an argument, and return what the method computes.

    ## Not reported
    Attributes that only `__init__` assigns, classes with a `__hash__` of their own, and methods
    that jit again after the change or clear the attribute that holds the program. Programs that
    each call of a method makes again and leaves behind. Functions that a train state keeps
    (`self.state.apply_fn`). What `load`, `reset` or `setup` assign is shown with `--all`: they are
    mostly called before anything is compiled.
    """

    severity = "error"
    confirmed_by = (("stale-capture", "self"),)
    examples = (
        Example(
            bad="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                class Model:
                    def __init__(self):
                        self.scale = jnp.ones(())

                    def double(self):
                        self.scale = self.scale * 2

                    @partial(jax.jit, static_argnums=0)
                    def __call__(self, x):
                        return x * self.scale  # ! stale-self


                model = Model()
                before = model(1.0)
                model.double()
                after = model(1.0)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def apply(scale, x):
                    return x * scale


                class Model:
                    def __init__(self):
                        self.scale = jnp.ones(())

                    def double(self):
                        self.scale = self.scale * 2

                    def __call__(self, x):
                        return apply(self.scale, x)


                model = Model()
                before = model(1.0)
                model.double()
                after = model(1.0)
            """,
            shows="float(before) == float(after)",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        yield from stale(programs, "attribute")
