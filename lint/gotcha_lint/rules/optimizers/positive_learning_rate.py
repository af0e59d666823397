from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import dotted, source_of, walk
from gotcha_lint.facts.optax import PRECONDITIONERS, SIGN_KEEPING
from gotcha_lint.queries.gradients import Flowing
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule

_RATES = ("lr", "learning_rate")


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
        schedule = names[-1] == "optax.scale_by_schedule"
        if step is None or not (_never_negative(last, step) if schedule else _positive(last, step)):
            return
        yield Report(
            last.node,
            f"the chain ends in `{source_of(last.node)}`, and updates are added: it climbs",
            Rewrite("negate", (Change(step, before="-"),), safe=False)
            if isinstance(step, cst.Float)
            else None,
        )


def _positive(call: Call, step: cst.CSTNode) -> bool:
    """A number, written here or as a constant, or something that is called a learning rate."""
    given = call.arg(0, "step_size")
    size = given.literal if given is not None else None
    if isinstance(size, int | float):
        return not isinstance(size, bool) and 0 < size < 1
    return _is_rate(step, _RATES)


def _is_rate(node: cst.CSTNode | None, words: tuple[str, ...]) -> bool:
    """`lr`, `config.learning_rate`: people write the minus in front of these."""
    name = (dotted(node) or "").rpartition(".")[2].lower()
    return name.endswith(words) and not name.startswith(("neg", "minus"))


def _never_negative(call: Call, step: cst.CSTNode) -> bool:
    """A schedule of optax that is made without a minus."""
    made = call.body.call_of(Flowing(call.body).resolve(step))
    if made is None or made.result.of != "gotcha.schedule":
        return False
    parts = [part for arg in made.node.args for part in walk(arg.value)]
    if any(isinstance(part, cst.Minus | cst.Lambda) for part in parts):
        return False
    first = made.args[0] if made.args else made.kwargs.get("init_value")
    if first is not None and isinstance(first.literal, int | float):
        return first.literal >= 0
    return _is_rate(made.arg_node(0, "init_value"), (*_RATES, "rate"))


def _negated(calls: list[Call | None]) -> bool:
    """A `scale` before it may bring the minus."""
    return any(call is not None and call.name == "optax.scale" for call in calls)
