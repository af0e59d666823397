from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule, text_of
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.nodes import dotted, function_around, last_word, walk


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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for effect in programs.effects["paramless"].values():
            yield Foreseen(
                (effect.path, effect.span),
                f"`{effect.what}` needs the current parameters: `update` raises ValueError "
                "without them",
                tuple((*place, "made here") for place in effect.origins),
                certain=not effect.maybe,
            )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, model: FileModel) -> Rewrite | None:
        if not isinstance(node, cst.Call) or len(node.args) != 2:
            return None
        name = _params_name(node, function_around(model.tree, statement))
        if name is None or isinstance(node.args[-1].comma, cst.Comma):
            return None
        named = any(arg.keyword for arg in node.args)
        change = Change(node.args[-1], after=f", params={name}" if named else f", {name}")
        return Rewrite(f"pass `{name}`", (change,))


def _params_name(call: cst.Call, function: cst.CSTNode) -> str | None:
    """What the updates are applied to, or what the state was made of, where there is one answer."""
    applied = {
        text_of(node.args[0].value)
        for node in walk(function)
        if isinstance(node, cst.Call) and last_word(node.func) == "apply_updates" and node.args
    }
    if applied:
        return applied.pop() if len(applied) == 1 else None
    state = next((arg.value for arg in call.args[1:2]), None)
    if isinstance(state, cst.Attribute) and state.attr.value == "opt_state":
        owner = dotted(state.value)
        return f"{owner}.params" if owner else None
    params = function.params.params if isinstance(function, cst.FunctionDef) else ()
    return "params" if any(param.name.value == "params" for param in params) else None
