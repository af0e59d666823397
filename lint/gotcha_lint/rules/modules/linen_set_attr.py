from collections.abc import Iterator

from gotcha_lint.interpret.faults.called import FROZEN_WRITE
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class LinenSetAttr(Rule):
    """Assigns to an attribute of a Linen module outside of `setup`.

    ## What happens
    `SetAttributeFrozenModuleError: Can't set hidden=[[-1.2183008  0.6848242] ...] for Module of
    type Model: Module instance is frozen outside of setup method.` A module is a description; what
    a call computes is returned, or kept in a collection of variables.

    ## Instead
    Return the value; or `self.sow("intermediates", "hidden", hidden)`, or a `self.variable(...)`.

    ## Not reported
    `setup` and `__post_init__`, and what they call. Methods that neither are `__call__` or
    `@nn.compact` nor are called there: on a module that is not bound they may assign. Assignments
    to what `self.variable` gave (`self.mean.value = ...`), and by `object.__setattr__`.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        self.hidden = nn.Dense(2)(x)  # ! linen-set-attr
                        return nn.relu(self.hidden)


                variables = Model().init(jax.random.key(0), jnp.ones((4, 3)))
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        hidden = nn.Dense(2)(x)
                        self.sow("intermediates", "hidden", hidden)
                        return nn.relu(hidden)


                variables = Model().init(jax.random.key(0), jnp.ones((4, 3)))
            """,
            raises="SetAttributeFrozenModuleError",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(FROZEN_WRITE):
            yield Foreseen(
                (fault.path, fault.span),
                f"a Linen module is frozen outside of `setup`: `{fault.text[0]} = ...` "
                f"in `{fault.within.name}` raises; return the value, or keep it in a variable",
            )
