from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.results import needs_params
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.optax import NEED_PARAMS
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import Change, Example, Foreseen, Report, Rewrite, Rule, text_of
from gotcha_lint.solve.programs import Programs

_UPDATE = "optax.GradientTransformation.update"


class UpdateWithoutParams(Rule):
    """Calls `update` of an optimizer that decays or rescales by the parameters without giving them.

    ## What happens
    `ValueError: You are using a transformation that requires the current value of parameters, but
    you are not passing params when calling update.` So do `adamw`, `lamb`, `lion`, `adafactor`,
    `lars`, `adamaxw`, `nadamw` and `contrib.muon`, alone or inside `chain`; `novograd` fails with a
    pytree error, and a bare `add_decayed_weights` with a missing argument. `adam` and `sgd` do not
    need them, so the crash comes with the change of optimizer.

    ## Instead
    Always pass the parameters: `tx.update(grads, opt_state, params)`.
    """

    severity = "error"
    roots = frozenset({"optax"})
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax

                params = {"w": jnp.ones(3)}
                grads = {"w": jnp.full(3, 0.5)}
                tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
                opt_state = tx.init(params)
                updates, opt_state = tx.update(grads, opt_state)  # ! update-without-params
                params = optax.apply_updates(params, updates)
            """,
            good="""
                import jax.numpy as jnp
                import optax

                params = {"w": jnp.ones(3)}
                grads = {"w": jnp.full(3, 0.5)}
                tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
                opt_state = tx.init(params)
                updates, opt_state = tx.update(grads, opt_state, params)
                params = optax.apply_updates(params, updates)
            """,
            raises="requires the current value of parameters",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        optimizer = site.base
        if site.name != _UPDATE or optimizer is None or optimizer.maybe or site.starred:
            return
        given = site.arg(2, "params")
        if not needs_params(optimizer) or (given is not None and given.kind is not Kind.NONE):
            return
        if given is None and len(site.args) + len(site.kwargs) < 2:
            return
        if expected_to_fail(site.body, site.node):
            return
        maker = min(optimizer.literal & NEED_PARAMS).removeprefix("optax.")
        yield Report(
            site.node,
            f"`{maker}` needs the current parameters: `update` raises ValueError without them",
            _fix(site) if given is None else None,
        )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for effect in programs.effects["paramless"].values():
            yield Foreseen(
                (effect.path, effect.span),
                f"`{effect.what}` needs the current parameters: `update` raises ValueError "
                "without them",
                tuple((*place, "made here") for place in effect.origins),
                certain=not effect.maybe,
            )


def _fix(site: Call) -> Rewrite | None:
    name = _params_name(site)
    if name is None or len(site.node.args) != 2 or site.node.args[-1].comma.__class__ is cst.Comma:
        return None
    change = Change(
        site.node.args[-1], after=f", {name}" if len(site.args) == 2 else f", params={name}"
    )
    return Rewrite(f"pass `{name}`", (change,))


def _params_name(site: Call) -> str | None:
    """What the updates are applied to, or what the state was made of, where there is one answer."""
    applied = {
        text_of(call.node.args[0].value)
        for call in site.body.of(Call)
        if call.name in ("optax.apply_updates", "equinox.apply_updates") and call.node.args
    }
    if applied:
        return applied.pop() if len(applied) == 1 else None
    state = site.arg_node(1, "state")
    if isinstance(state, cst.Attribute) and state.attr.value == "opt_state":
        owner = dotted(state.value)
        return f"{owner}.params" if owner else None
    return "params" if any(p.name == "params" for p in site.body.function.params) else None
