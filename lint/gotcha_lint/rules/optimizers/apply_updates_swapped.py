from collections.abc import Iterator

from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import UPDATES
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of


class ApplyUpdatesSwapped(Rule):
    """Gives `optax.apply_updates` the updates first, and the parameters second.

    ## What happens
    The sum is the same, so nothing fails; but the result has the dtype of the first argument. With
    parameters in bfloat16 and updates in float32 the parameters become float32 with the first
    step: twice the memory, and the step compiles a second time.

    ## Instead
    `optax.apply_updates(params, updates)`.

    ## Not reported
    Arguments of which it is not seen that the first comes from `tx.update`, and the second does
    not.

    ## The price
    Twice the memory, where dtypes differ; else nothing.

    ## References
    https://optax.readthedocs.io/en/latest/api/apply_updates.html
    """

    preview = True
    roots = frozenset({"apply_updates"})
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax

                params = jnp.ones(3, jnp.bfloat16)
                tx = optax.sgd(0.1)
                grads = jnp.ones(3, jnp.float32)
                updates, state = tx.update(grads, tx.init(params), params)
                params = optax.apply_updates(updates, params)  # ! apply-updates-swapped
            """,
            good="""
                import jax.numpy as jnp
                import optax

                params = jnp.ones(3, jnp.bfloat16)
                tx = optax.sgd(0.1)
                grads = jnp.ones(3, jnp.float32)
                updates, state = tx.update(grads, tx.init(params), params)
                params = optax.apply_updates(params, updates)
            """,
            shows="params.dtype == jnp.float32",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        first, second = site.arg(0, "params"), site.arg(1, "updates")
        if site.name != "optax.apply_updates" or first is None or second is None:
            return
        if first.of != UPDATES or first.maybe or second.of == UPDATES:
            return
        yield Report(
            site.node,
            "the updates come first: the result has their dtype, not that of the parameters",
            _swapped(site),
        )


def _swapped(site: Call) -> Rewrite | None:
    if site.starred or len(site.args) != 2 or site.kwargs:
        return None
    first, second = (arg.value for arg in site.node.args)
    changes = (Change(first, text=text_of(second)), Change(second, text=text_of(first)))
    return Rewrite("parameters first", changes)
