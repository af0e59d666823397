"""A test for a type that nothing has, or that Flax has turned into another one."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.defined import VAIN_TEST
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class TypeTestNeverTrue(Rule):
    """Asks for a list where Flax gives a tuple, or for a `FrozenDict` where it gives a dict.

    ## What happens
    No error: the other branch runs, always. Linen freezes the fields of a module: in `setup` and
    `__call__`, a list is a tuple, and a dict is a `FrozenDict`. So `isinstance(self.rates, list)`
    is false whatever the caller gave. The variables that `init` returns were a `FrozenDict` up to
    Flax 0.6 and are plain dicts since: a walk that goes down where `isinstance(tree, FrozenDict)`
    takes the whole model for one leaf. A mask of the weight decay then has one value, for all
    parameters.

    `type(x) == torch.tensor` is false for each tensor: `torch.tensor` is a function, and so are
    `np.array` and `jnp.array`. `type(x) == jax.Array` is false, too: that class is abstract.

    ## Instead
    `isinstance(self.rates, (list, tuple))`, and `collections.abc.Mapping` for dicts of both kinds;
    or `jax.tree.map`, which knows every container. In place of `type(x) ==`:
    `isinstance(x, jax.Array)`.

    ## Not reported
    Functions that ask for the other type, too; a `FrozenDict` that only gets unfrozen. Where the
    program calls `freeze` somewhere, the walk is shown with `--all`.

    ## In a run
    Nothing.
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                from collections.abc import Sequence

                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Stage(nn.Module):
                    rates: float | Sequence[float]

                    def __call__(self, x):
                        many = isinstance(self.rates, list)  # ! type-test-never-true
                        return x * (self.rates[0] if many else 1.0)


                y = Stage([0.5, 0.1]).apply({}, jnp.ones(3))
            """,
            good="""
                from collections.abc import Sequence

                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Stage(nn.Module):
                    rates: float | Sequence[float]

                    def __call__(self, x):
                        many = isinstance(self.rates, (list, tuple))
                        return x * (self.rates[0] if many else 1.0)


                y = Stage([0.5, 0.1]).apply({}, jnp.ones(3))
            """,
            shows="float(y[0]) == 1.0",
        ),
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp
                from flax.core import FrozenDict


                def decays(tree, name=""):
                    if isinstance(tree, FrozenDict):  # ! type-test-never-true
                        return {key: decays(value, key) for key, value in tree.items()}
                    return name == "kernel"


                params = nn.Dense(2).init(jax.random.key(0), jnp.ones((1, 3)))["params"]
                mask = decays(params)
            """,
            good="""
                from collections.abc import Mapping

                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                def decays(tree, name=""):
                    if isinstance(tree, Mapping):
                        return {key: decays(value, key) for key, value in tree.items()}
                    return name == "kernel"


                params = nn.Dense(2).init(jax.random.key(0), jnp.ones((1, 3)))["params"]
                mask = decays(params)
            """,
            shows="mask is False",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(VAIN_TEST):
            kind, what, asked, given = fault.text
            if kind == "field":
                message = (
                    f"`{what}` is never a `{asked}` here: Flax makes {given} of it before a method "
                    "runs; ask for both types"
                )
            elif kind == "equality":
                message = (
                    f"`{what}` is {asked}, and the type of nothing: this comparison has the same "
                    f"result for all; test with `isinstance(..., {given})`"
                )
            else:
                message = (
                    f"`{what}` is {given} since Flax 0.7, and no `{asked}`: this takes the whole "
                    "tree for a leaf; test for `collections.abc.Mapping`, or use `jax.tree.map`"
                )
            yield Foreseen((fault.path, fault.span), message, (), fault.certain)
