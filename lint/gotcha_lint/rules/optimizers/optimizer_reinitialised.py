from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.syntax import dotted, target_names
from gotcha_lint.queries.places import is_test, long_loops
from gotcha_lint.rule import Example, Report, Rule

_INIT, _UPDATE = "optax.GradientTransformation.init", "optax.GradientTransformation.update"


class OptimizerReinitialised(Rule):
    """Makes a new optimizer state for every update, in the step itself or in the training loop.

    ## What happens
    Nothing fails, but momentum, second moments and the schedule's step counter are zero at every
    update. With a warm-up the learning rate stays 0 and nothing is learned: a loss of 4.03 where
    the same run with a kept state reached 0.0000.

    ## Instead
    Call `tx.init(params)` once, before the loop, and carry the state: take it as an argument of the
    step and return the new one.

    ## Not reported
    An optimizer started anew for an inner problem that takes more than one step.
    """

    severity = "error"
    roots = frozenset({"optax"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.adam(optax.linear_schedule(0.0, 0.1, 10))


                @jax.jit
                def step(w):
                    opt_state = tx.init(w)  # ! optimizer-reinitialised
                    updates, opt_state = tx.update(2 * w, opt_state, w)
                    return optax.apply_updates(w, updates)


                w = jnp.ones(3)
                for _ in range(20):
                    w = step(w)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.adam(optax.linear_schedule(0.0, 0.1, 10))


                @jax.jit
                def step(w, opt_state):
                    updates, opt_state = tx.update(2 * w, opt_state, w)
                    return optax.apply_updates(w, updates), opt_state


                w = jnp.ones(3)
                opt_state = tx.init(w)
                for _ in range(20):
                    w, opt_state = step(w, opt_state)
            """,
            shows="bool((w == 1.0).all())",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if site.name != _INIT or is_test(site.body):
            return
        loops = long_loops(site)
        step = not loops and (site.body.trace is not None or bool(site.body.hot))
        if not loops and not step:
            return
        name = _assigned(site)
        update = _only_update(site, name) if name else None
        if update is None or update.at.loops != site.at.loops:
            return
        again = "turn of this loop" if loops else "step"
        yield Report(
            site.node,
            f"`{name}` is made anew in each {again}: moments and schedule start from zero",
            places=((update.node, "the only update it gets"),),
            why_traced=step and site.body.trace is not None,
            why_hot=step and site.body.trace is None,
        )


def _assigned(site: Call) -> str | None:
    """The one name that the new state is bound to, and nothing else ever is before the update."""
    statement = site.at.statement
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    assign = statement.body[0]
    if not isinstance(assign, cst.Assign) or assign.value is not site.node:
        return None
    names = [name.value for target in assign.targets for name in target_names(target.target)]
    return names[0] if len(names) == 1 else None


def _only_update(site: Call, name: str) -> Call | None:
    """The update of this state in the same function, if there is one, and the state is not kept."""
    updates = [
        call
        for call in site.body.of(Call)
        if call.name == _UPDATE and dotted(call.arg_node(1, "state")) == name
    ]
    binds = [bind for bind in site.body.of(Bind) if bind.name == name]
    known = all(bind.at.loops == site.at.loops and bind.at.order >= site.at.order for bind in binds)
    guarded = site.at.guards and not (updates and updates[0].at.guards == site.at.guards)
    return updates[0] if len(updates) == 1 and known and not guarded else None
