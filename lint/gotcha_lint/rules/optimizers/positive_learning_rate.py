from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.rates import NEGATIVE, POSITIVE, is_rate
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.facts.optax import PRECONDITIONERS, RATES, SIGN_KEEPING
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule


class PositiveLearningRate(Rule):
    """Ends a hand-made optimizer with `optax.scale` of a positive number, so that it ascends.

    ## What happens
    `optax.apply_updates` adds, and `scale_by_adam` and its kin keep the gradient's sign. Without a
    minus the loss goes up, and nothing fails: `chain(scale_by_adam(), scale(1e-3))` moves each
    parameter along its gradient.

    ## Instead
    `optax.scale(-1e-3)` or `optax.scale_by_learning_rate(1e-3)`, which brings the sign itself.
    """

    severity = "error"
    roots = frozenset({"optax"})
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax

                tx = optax.chain(optax.scale_by_rms(), optax.scale(0.1))  # ! positive-learning-rate
                x = jnp.array(1.0)
                updates, _ = tx.update(2 * x, tx.init(x))
                moved = optax.apply_updates(x, updates)
            """,
            good="""
                import jax.numpy as jnp
                import optax

                tx = optax.chain(optax.scale_by_rms(), optax.scale(-0.1))
                x = jnp.array(1.0)
                updates, _ = tx.update(2 * x, tx.init(x))
                moved = optax.apply_updates(x, updates)
            """,
            shows="moved > 1.0",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if site.name != "optax.chain" or site.starred:
            return
        calls = [site.body.call_of(arg.value) for arg in site.node.args]
        names = [call.name if call else "" for call in calls]
        last = calls[-1] if calls else None
        if (
            last is None
            or names[-1] not in ("optax.scale", "optax.scale_by_schedule")
            or not PRECONDITIONERS.intersection(names[:-1])
        ):
            return
        if not SIGN_KEEPING.issuperset(names[:-1]) or _negated(calls[:-1]):
            return
        step = last.arg_node(0, "step_size", "step_size_fn")
        if step is None or not (last.result.made == POSITIVE or _named(last, step)):
            return
        yield Report(
            last.node,
            f"the chain ends in `{source_of(last.node)}`, and updates are added: it climbs",
            Rewrite("negate", (Change(step, before="-"),), safe=False)
            if isinstance(step, cst.Float)
            else None,
        )


def _named(call: Call, step: cst.CSTNode) -> bool:
    """Something that is called a learning rate, of which nothing else is known."""
    given = call.arg(0, "step_size")
    known = given is not None and isinstance(given.literal, int | float)
    known |= call.result.made == NEGATIVE
    return call.name == "optax.scale" and not known and is_rate(step, RATES)


def _negated(calls: list[Call | None]) -> bool:
    """A `scale` before it may bring the minus."""
    return any(call is not None and call.name == "optax.scale" for call in calls)
