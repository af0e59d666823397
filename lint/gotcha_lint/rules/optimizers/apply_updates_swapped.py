from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.faults.called import SWAPPED
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule, text_of
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree


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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(SWAPPED):
            given = f"`{fault.text[0]}`" if fault.text[0] else "these"
            yield Foreseen(
                (fault.path, fault.span),
                f"{given} are the updates, but `apply_updates` takes the parameters "
                "first: the result has the type of the first argument",
                fault.places,
            )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree) -> Rewrite | None:
        match node:
            case cst.Call(args=[cst.Arg(value=first), cst.Arg(value=second)]):
                swap = Change(first, text=text_of(second)), Change(second, text=text_of(first))
                return Rewrite("swap the arguments", swap)
        return None
