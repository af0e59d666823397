"""`x[i] = v` on a jax array."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.faults.remarks import IN_PLACE
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule, text_of
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree


class InplaceAssignment(Rule):
    """Assigns to elements of a JAX array.

    ## What happens
    `TypeError: JAX arrays are immutable and do not support in-place item assignment.` The same for
    `x[i] += v`. `np.asarray(x)[i] = v` fails too (the view is read-only); `np.array(x)` copies and
    may be written.

    ## Instead
    `x = x.at[i].set(v)`, `.at[i].add(v)` and so on. Under `jit` the compiler updates in place. In a
    loop on the host, fill a numpy array and convert it once.

    ## Not reported
    References (`jax.new_ref`, Pallas), lists and dicts, numpy arrays, also behind `jnp.reshape`,
    which leaves them what they are.

    ## References
    https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                x = jnp.zeros(4)
                x[0] = 1.0  # ! inplace-assignment
                x[1:] += 2.0  # ! inplace-assignment
            """,
            good="""
                import jax.numpy as jnp

                x = jnp.zeros(4)
                x = x.at[0].set(1.0)
                x = x.at[1:].add(2.0)
            """,
            raises="JAX arrays are immutable",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(IN_PLACE):
            owner, name = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`{owner}` is a JAX array: its elements cannot be assigned to",
                fault.places,
                fault.certain,
                hint=name,
            )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        found = _changed(statement, node) if hint else None
        if found is None or not isinstance(node, cst.Subscript):
            return None
        changed, value, method = found
        index = text_of(node)[len(text_of(node.value)) :]
        text = f"{hint} = {hint}.at{index}.{method}({text_of(value)})"
        title = f"Use `.at[...].{method}`"
        return Rewrite(title, (Change(changed, text=text),), safe="." not in hint)


_METHODS: dict[type[cst.BaseAugOp], str] = {
    cst.AddAssign: "add",
    cst.SubtractAssign: "subtract",
    cst.MultiplyAssign: "multiply",
    cst.DivideAssign: "divide",
    cst.PowerAssign: "power",
}


def _changed(
    statement: cst.CSTNode, target: cst.CSTNode
) -> tuple[cst.CSTNode, cst.BaseExpression, str] | None:
    """The assignment to this one target, its right side and the update that does the same."""
    for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
        match small:
            case cst.Assign(targets=[cst.AssignTarget(target=one)], value=value) if one is target:
                return small, value, "set"
            case cst.AugAssign(operator=operator, value=value) if small.target is target:
                method = _METHODS.get(operator.__class__)
                return (small, value, method) if method else None
    return None
