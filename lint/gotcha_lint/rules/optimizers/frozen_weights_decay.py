"""Weights that are frozen by gradients of zero, and that the optimizer decays."""

from collections.abc import Iterator

from gotcha_lint.patterns.training.zeroed_gradients import zeroed_gradients
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class FrozenWeightsDecay(Rule):
    """Freezes weights by gradients of zero, and lets the optimizer decay them.

    ## What happens
    No error. `optax.adamw` takes a part of each weight away in each step, whatever its gradient is.
    Where a mask sets the gradients of frozen layers to zero before `update`, these layers still
    shrink. An optimizer with momentum also goes on with the gradients from before, where layers are
    frozen in the middle of a run.

    ## Instead
    Choose the optimizer, not the gradient: `optax.multi_transform({"train": optax.adamw(rate),
    "freeze": optax.set_to_zero()}, labels)`. Or set the updates to zero, after `update`.

    ## Not reported
    Optimizers of files that choose the leaves of an optimizer (`optax.masked`, `optax.partition`,
    `optax.set_to_zero`). Files that also make optimizers without a decay: shown with `--all`.

    ## In a run
    Nothing.

    ## References
    https://optax.readthedocs.io/en/latest/api/combining_optimizers.html
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                params = {"base": jnp.ones(2), "head": jnp.ones(2)}
                mask = {"base": False, "head": True}
                tx = optax.adamw(0.1, weight_decay=0.1)
                state = tx.init(params)
                grads = jax.tree.map(jnp.ones_like, params)
                grads = jax.tree.map(lambda g, m: jnp.where(m, g, 0.0), grads, mask)
                updates, state = tx.update(grads, state, params)  # ! frozen-weights-decay
                params = optax.apply_updates(params, updates)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                params = {"base": jnp.ones(2), "head": jnp.ones(2)}
                mask = {"base": False, "head": True}
                tx = optax.adamw(0.1, weight_decay=0.1, mask=True)
                state = tx.init(params)
                grads = jax.tree.map(jnp.ones_like, params)
                updates, state = tx.update(grads, state, params)
                updates = jax.tree.map(lambda u, m: jnp.where(m, u, 0.0), updates, mask)
                params = optax.apply_updates(params, updates)
            """,
            shows='float(params["base"][0]) < 1.0',
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            links = text.origins.links
            for function in links.bodies(text.module):
                for one in zeroed_gradients(text.module, function, links):
                    yield Foreseen(
                        (function.path, one.span),
                        f"the gradients of frozen weights are zero here, and `optax.{one.word}` "
                        "decays these weights all the same: set their updates to zero, or use "
                        "`optax.multi_transform` with `optax.set_to_zero`",
                        ((function.path, one.zeroed, "set to zero here"),),
                        one.certain,
                    )
