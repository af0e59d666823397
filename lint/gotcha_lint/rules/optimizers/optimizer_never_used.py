"""A program that trains nothing makes the state of an optimizer."""

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.patterns.training.idle_optimizers import idle_optimizers
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class OptimizerNeverUsed(Rule):
    """Creates a train state with an optimizer where nothing is trained.

    ## What happens
    No error. `TrainState.create` calls `tx.init(params)`. Adam keeps two arrays for each parameter,
    so a program that only encodes, scores or samples needs three times the memory of the weights;
    `replicate` copies all of it to each device.

    ## Instead
    Give the function the parameters: `encode(params, batch)`. If it has to be a train state:
    `tx=optax.identity()`, which keeps nothing.

    ## Not reported
    Files that restore, or that take a gradient; a state that is returned, kept in an object, or
    given to a function of another file.

    ## In a run
    Nothing.

    ## References
    https://flax.readthedocs.io/en/latest/api_reference/flax.training.html
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp
                import optax
                from flax.training.train_state import TrainState


                def count(tree):
                    return sum(jnp.size(leaf) for leaf in jax.tree.leaves(tree))


                model, x = nn.Dense(4), jnp.ones((2, 3))
                params = model.init(jax.random.key(0), x)
                tx = optax.adamw(1e-4)
                state = TrainState.create(  # ! optimizer-never-used
                    apply_fn=model.apply, params=params, tx=tx
                )
                encode = jax.jit(lambda state, x: state.apply_fn(state.params, x))
                y = encode(state, x)
                kept = count(state)
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                def count(tree):
                    return sum(jnp.size(leaf) for leaf in jax.tree.leaves(tree))


                model, x = nn.Dense(4), jnp.ones((2, 3))
                params = model.init(jax.random.key(0), x)
                encode = jax.jit(model.apply)
                y = encode(params, x)
                kept = count(params)
            """,
            shows="kept > 40",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            if is_test(text.module.path):
                continue
            for function, span, optimizer in idle_optimizers(text.origins, text.module):
                yield Foreseen(
                    (function.path, span),
                    f"nothing here updates this state, but it keeps what `{optimizer}` needs for "
                    "updates: pass the parameters alone, or `tx=optax.identity()`",
                )
