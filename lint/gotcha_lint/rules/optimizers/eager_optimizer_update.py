from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.known import TRAIN_STATE
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import Kind
from gotcha_lint.queries.host import driven_by_host, runs_often_on_host
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.rule_helpers.wording import each_turn, loop_places
from gotcha_lint.solve.programs import Programs

_UPDATES = frozenset({"optax.GradientTransformation.update", "flax.nnx.Optimizer.update"})


class EagerOptimizerUpdate(Rule):
    """Runs the optimizer's update outside of `jit` in a training loop.

    ## What happens
    Each operation on each leaf is dispatched on its own, which takes several times as long as one
    jitted step, however the gradients were computed.

    ## In a run
    Of this example nothing: each operation of the update is compiled once, and dispatching it again
    is no compile. Where shapes change from step to step, the operations compile again and again.

    ## Instead
    One jitted function that computes the gradients, the update, and the new parameters.
    """

    roots = frozenset({"optax", "apply_gradients"})
    confirmed_by = (("eager-op-storm", ""),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.adam(1e-3)
                gradient = jax.jit(jax.grad(lambda w: jnp.sum(w**2)))

                w = jnp.ones(3)
                opt_state = tx.init(w)
                for step in range(100):
                    grads = gradient(w)
                    updates, opt_state = tx.update(grads, opt_state, w)  # ! eager-optimizer-update
                    w = optax.apply_updates(w, updates)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.adam(1e-3)


                @jax.jit
                def train_step(w, opt_state):
                    grads = jax.grad(lambda w: jnp.sum(w**2))(w)
                    updates, opt_state = tx.update(grads, opt_state, w)
                    return optax.apply_updates(w, updates), opt_state


                w = jnp.ones(3)
                opt_state = tx.init(w)
                for step in range(100):
                    w, opt_state = train_step(w, opt_state)
            """,
            unseen="both give the same numbers; what differs is the time",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if site.base is None or not (site.name in _UPDATES or _applies_gradients(site)):
            return
        if not (runs_often_on_host(site) or driven_by_host(site)):
            return
        yield Report(
            site.node,
            "the optimizer runs outside of jit, operation by operation, in every step: "
            "put gradients and update into one jitted function",
            why_hot=True,
        )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for place, few in programs.updates.items():
            certain = few == {True}
            yield Foreseen(place, "it runs a few times in all", certain=certain, denies=True)
        for place, (loops, calls) in programs.trees.items():
            yield Foreseen(
                place,
                "this updates a tree leaf by leaf at each "
                f"{each_turn(loops, place[0])}, outside of `jit`: each operation on each leaf is a "
                "dispatch of its own; move it into the jitted step",
                (*calls, *loop_places(loops)),
                certain=False,
            )


def _applies_gradients(site: Call) -> bool:
    """`state.apply_gradients(...)` of a linen TrainState."""
    func, state, project = site.node.func, site.base, site.body.project
    if not isinstance(func, cst.Attribute) or func.attr.value != "apply_gradients":
        return False
    if state is None or state.kind is not Kind.OBJECT or state.maybe or project is None:
        return False
    return state.of == TRAIN_STATE or (
        state.cls is not None and project.is_a(state.cls, TRAIN_STATE)
    )
