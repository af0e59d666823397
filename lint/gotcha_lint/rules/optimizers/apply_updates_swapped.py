from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.syntax import last_word, literal
from gotcha_lint.facts.optax import PARAMETERS, UPDATES
from gotcha_lint.queries.places import small_statements
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of


class ApplyUpdatesSwapped(Rule):
    """Gives `optax.apply_updates` the updates first: the parameters take the type of the updates.

    ## What happens
    The sum is the same, so nothing fails, but its type is that of the first argument. Where the
    gradients are in bfloat16, so are the parameters after the first step: 1.0 minus 0.001 is 1.0
    again, and steps as small as that are lost from then on. The other way round, parameters in
    bfloat16 become float32, and the step is compiled a second time. While both are float32 the swap
    does no harm; it becomes a fault when the precision changes.

    ## Instead
    `optax.apply_updates(params, updates)`.

    ## Not reported
    Arguments that are not seen to come from `tx.update` and to be the parameters, by the code or by
    their names.

    ## In a run
    Where the type changes, the step compiles again: `recompile`, told of the parameters' dtype.
    """

    roots = frozenset({"apply_updates"})
    confirmed_by = (("recompile", "dtype"),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.sgd(1e-3)


                @jax.jit
                def step(params, opt_state, x):
                    half = params.astype(jnp.bfloat16)
                    grads = jax.grad(lambda w: jnp.sum(w * x))(half)
                    updates, opt_state = tx.update(grads, opt_state, params)
                    params = optax.apply_updates(updates, params)  # ! apply-updates-swapped
                    return params, opt_state


                params = jnp.ones(3)
                opt_state = tx.init(params)
                for i in range(100):
                    params, opt_state = step(params, opt_state, jnp.ones(3, jnp.bfloat16))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.sgd(1e-3)


                @jax.jit
                def step(params, opt_state, x):
                    half = params.astype(jnp.bfloat16)
                    grads = jax.grad(lambda w: jnp.sum(w * x))(half)
                    updates, opt_state = tx.update(grads, opt_state, params)
                    params = optax.apply_updates(params, updates)
                    return params, opt_state


                params = jnp.ones(3)
                opt_state = tx.init(params)
                for i in range(100):
                    params, opt_state = step(params, opt_state, jnp.ones(3, jnp.bfloat16))
            """,
            shows="params[0] == 1.0",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if site.name != "optax.apply_updates" or site.starred:
            return
        first, second = site.arg_node(0, "params"), site.arg_node(1, "updates")
        if first is None or second is None:
            return
        update = _update(site, first)
        named = last_word(first).lower().endswith(UPDATES)
        if (update is not None or named) and _is_params(site, second, update):
            change = (Change(first, text=text_of(second)), Change(second, text=text_of(first)))
            yield Report(
                site.node,
                f"`{text_of(first)}` are the updates, but `apply_updates` takes the parameters "
                "first: the result has the type of the first argument",
                Rewrite("swap the arguments", change),
                places=((update.node, "the updates come from here"),) if update else (),
            )


def _update(site: Call, node: cst.CSTNode) -> Call | None:
    """The call of an optimizer's `update` of which this is the first result."""
    made = _first_of(site, node)
    known = made is not None and made.name == "optax.GradientTransformation.update"
    alike = made is not None and last_word(made.node.func) == "update" and len(made.args) > 1
    return made if known or alike else None


def _is_params(site: Call, node: cst.CSTNode, update: Call | None) -> bool:
    """By their name, or because `update` was given them, or they were differentiated."""
    given = [call.arg_node(0) for call in site.body.of(Call) if _is_gradient(call)]
    given += [update.arg_node(2, "params")] if update is not None else []
    if any(one is not None and text_of(one) == text_of(node) for one in given):
        return True
    return last_word(node).lower().endswith(PARAMETERS) and _update(site, node) is None


def _is_gradient(call: Call) -> bool:
    return any(via.name in GRADS for via in call.callee.via)


def _first_of(site: Call, node: cst.CSTNode) -> Call | None:
    """The call whose first result this is, as in `a, b = f(x)`; also `f(x)[0]`."""
    match node:
        case cst.Name(value=name):
            binds = [b for b in site.body.of(Bind) if b.name == name and b.at.order < site.at.order]
            return _unpacked(binds[-1]) if binds else None
        case cst.Subscript(
            value=made, slice=[cst.SubscriptElement(slice=cst.Index(value=place))]
        ) if literal(place) == 0:
            return site.body.call_of(Flowing(site.body, site.at).resolve(made))
    return None


def _unpacked(bind: Bind) -> Call | None:
    for line in small_statements(bind.at):
        match line:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Tuple(elements=[first, _, *_]))], value=made
            ) if first.value is bind.node:
                return bind.body.call_of(made)
    return None
