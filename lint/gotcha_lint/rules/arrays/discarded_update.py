"""`x.at[i].set(v)` and other updates that return a new value, as statements of their own."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.domain.sites import Origin
from gotcha_lint.interpret.faults.remarks import CAST_UNDONE, DISCARDED
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree


class DiscardedUpdate(Rule):
    """Throws away the result of an update that does not happen in place.

    ## What happens
    Nothing fails, and there is no message: `x.at[i].set(v)`, `state.replace(...)`,
    `state.apply_gradients(...)` and every `jnp` function return a new value and leave the old one
    as it was. A trainer that drops `apply_gradients` stays at step 0; a sampler that drops
    `logits.at[pad].set(-inf)` goes on drawing the pad token. A cast that is written to its own
    array, as in `weight[...] = weight[...].astype(jnp.bfloat16)` of a variable of nnx, only rounds:
    what is written is cast to the type that is there.

    ## Instead
    Bind the result: `x = x.at[i].set(v)`.

    ## Not reported
    Flax NNX objects and references (`jax.new_ref`, Pallas), which do change in place; the last
    expression of a notebook's cell, which is shown; calls that only look at shapes and structure.

    ## References
    https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                logits = jnp.ones(4)
                logits.at[0].set(-jnp.inf)  # ! discarded-update
            """,
            good="""
                import jax.numpy as jnp

                logits = jnp.ones(4)
                logits = logits.at[0].set(-jnp.inf)
            """,
            shows="bool(jnp.all(jnp.isfinite(logits)))",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        told: set[Origin] = set()
        for fault in programs.faults.of(DISCARDED):
            called, name = fault.text
            told.add((fault.path, fault.span))
            hint = f"; write `{name} = ...`" if name else ""
            yield Foreseen(
                (fault.path, fault.span),
                f"`{called}(...)` returns a new value and changes nothing, and its result is "
                f"thrown away{hint}",
                hint=name,
            )
        for effect in programs.effects["dropped"].values():
            if (effect.path, effect.span) in told:
                continue
            yield Foreseen(
                (effect.path, effect.span),
                f"this returns a new `{effect.what}` and changes nothing, and its result is "
                "thrown away",
                tuple((*place, "the new one is made here") for place in effect.origins),
                certain=not effect.maybe,
            )
        for fault in programs.faults.of(CAST_UNDONE):
            yield Foreseen(
                (fault.path, fault.span),
                "`[...] =` casts back to the type that is there: the cast only rounds, and the "
                "array keeps its type",
                fault.places,
                fault.certain,
            )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        title = f"Bind the result to `{hint}`"
        changes = (Change(node, before=f"{hint} = "),)
        return Rewrite(title, changes, safe="." not in hint) if hint else None
