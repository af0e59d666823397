from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.rates import NEGATIVE, POSITIVE, is_rate
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.facts.optax import PRECONDITIONERS, RATES, SIGN_KEEPING
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of

_SCHEDULE = "optax.scale_by_schedule"


class PositiveLearningRate(Rule):
    """Ends a hand-made optimizer with `optax.scale` of a positive number, so that it ascends.

    ## What happens
    `optax.apply_updates` adds, and `scale_by_adam` and its kin keep the gradient's sign. Without a
    minus the loss goes up, and nothing fails: `chain(scale_by_adam(), scale(1e-3))` moves each
    parameter along its gradient.

    ## Instead
    `optax.scale(-1e-3)` or `optax.scale_by_learning_rate(1e-3)`, which brings the sign itself.

    ## Not reported
    Functions that say that something is maximised.
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
        last = calls[-1] if calls else None
        if last is None or last.name not in ("optax.scale", _SCHEDULE):
            return
        rest = [call for call in calls[:-1] if call is None or not _climbs(call)]
        names = {call.name if call else "" for call in rest}
        scheduled = len(rest) < len(calls) - 1
        if not (PRECONDITIONERS & names or scheduled) or not SIGN_KEEPING.issuperset(names):
            return
        step = last.arg_node(0, "step_size", "step_size_fn")
        if step is None or not (_is_positive(last, scheduled) or _named(last, step)):
            return
        if _is_meant(site.body.function):
            return
        yield Report(
            last.node,
            f"the chain ends in `{source_of(last.node)}`, and updates are added: "
            "the loss is maximised",
            Rewrite("negate", (Change(step, before="-"),), safe=False)
            if isinstance(step, cst.Float)
            else None,
        )


def _is_meant(function: Function | None) -> bool:
    """The functions around it speak of something that is maximised."""
    while function is not None and not isinstance(function.node, cst.Module):
        if "maximi" in text_of(function.node).lower():
            return True
        function = function.parent
    return False


def _named(call: Call, step: cst.CSTNode) -> bool:
    """Something that is called a learning rate, of which nothing else is known."""
    given = call.arg(0, "step_size")
    known = given is not None and isinstance(given.literal, int | float)
    known |= call.result.made == NEGATIVE
    return call.name == "optax.scale" and not known and is_rate(step, RATES)


def _climbs(call: Call) -> bool:
    """A schedule of positive rates, which leaves the minus to what follows."""
    return call.name == _SCHEDULE and call.result.made == POSITIVE


def _is_positive(call: Call, scheduled: bool) -> bool:
    """Also a factor of 1 or more, where the rate stands before it."""
    step = call.arg(0, "step_size")
    number = step.literal if step is not None and not step.maybe else None
    factor = isinstance(number, int | float) and not isinstance(number, bool) and number > 0
    return call.result.made == POSITIVE or (scheduled and factor and call.name == "optax.scale")
