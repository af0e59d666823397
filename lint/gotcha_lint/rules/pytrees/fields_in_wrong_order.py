from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.faults.remarks import EXCHANGED_FIELDS
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree


class FieldsInWrongOrder(Rule):
    """Fills the fields of a state in another order than the class has them.

    ## What happens
    `ScaleByAdamState(count, nu, mu)` puts the second moment where the first belongs. Both are trees
    of the same shapes, so that nothing fails: the optimizer takes the root of a momentum, and the
    parameters become NaN, or train badly. Where the shapes differ, the next step of a `lax.scan` or
    a restore fails far from here, with two structures that are not alike.

    ## Instead
    Give the fields by name: `ScaleByAdamState(count=count, mu=mu, nu=nu)`.

    ## Not reported
    Arguments whose names are not those of fields; one that is out of place alone, as in a history
    that moves on (`History(new, last)`); two attributes of one object, exchanged; functions that
    say so (`swap`, `transpose`, `reverse`); names of one letter.

    ## In a run
    Nothing: what is meant for which field only the names tell.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax

                count = jnp.asarray(10)
                mu, nu = {"w": jnp.full(3, -0.1)}, {"w": jnp.full(3, 0.01)}
                state = optax.ScaleByAdamState(count, nu, mu)  # ! fields-in-wrong-order
                updates, state = optax.scale_by_adam().update({"w": jnp.ones(3)}, state)
            """,
            good="""
                import jax.numpy as jnp
                import optax

                count = jnp.asarray(10)
                mu, nu = {"w": jnp.full(3, -0.1)}, {"w": jnp.full(3, 0.01)}
                state = optax.ScaleByAdamState(count, mu, nu)
                updates, state = optax.scale_by_adam().update({"w": jnp.ones(3)}, state)
            """,
            shows="bool(jnp.isnan(updates['w']).any())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(EXCHANGED_FIELDS):
            wrong, called, fields, turn = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"this puts {wrong}: `{called}` has its fields in the order {fields}",
                hint=turn,
            )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        if not isinstance(node, cst.Call):
            return None
        pairs = (map(int, pair.split(":")) for pair in hint.split(","))
        given = [arg.value for arg in node.args]
        changes = tuple(Change(given[place], like=given[other]) for place, other in pairs)
        return Rewrite("Put them in the order of the fields", changes, safe=False)
