from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.faults.computed import BOUND_COMPARISON
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule, text_of
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree
from gotcha_lint.text.nodes import walk


class WalrusBindsComparison(Rule):
    """Binds the answer of a comparison by `:=`, and goes on as if it were the value compared.

    ## What happens
    `:=` has the lowest precedence: `if mask := batch.get("mask") is not None:` makes `mask` True,
    whatever the batch holds. True is a mask for `jnp.where`, a number for `*`, an index for
    `x[mask]`, so that nothing fails: the mask is without effect.

    ## Instead
    `if (mask := batch.get("mask")) is not None:`

    ## Not reported
    Names that are only asked for their truth, handed to an argument by name, or called like a flag
    (`has_mask`, `training`); what is bound again under the `if`; comparisons by `==` and `in`.

    ## In a run
    Nothing: no error, and no operation that should not be there.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                batch = {"x": jnp.arange(4.0), "mask": jnp.array([True, True, False, False])}
                x = batch["x"]
                if mask := batch.get("mask") is not None:  # ! walrus-binds-comparison
                    x = jnp.where(mask, x, 0.0)
            """,
            good="""
                import jax.numpy as jnp

                batch = {"x": jnp.arange(4.0), "mask": jnp.array([True, True, False, False])}
                x = batch["x"]
                if (mask := batch.get("mask")) is not None:
                    x = jnp.where(mask, x, 0.0)
            """,
            shows="float(x.sum()) == 6.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(BOUND_COMPARISON):
            name, *compared = fault.text
            line, column, end_line, end_column = map(int, compared)
            left = fault.path, (line, column, end_line, end_column)
            yield Foreseen(
                (fault.path, fault.span),
                f"`{name}` is True, not `{{}}`: `:=` binds the whole comparison; write "
                f"`({name} := {{}})`",
                fault.places,
                fault.certain,
                quotes=(left, left),
            )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree) -> Rewrite | None:
        compared = node.value if isinstance(node, cst.NamedExpr) else node
        while isinstance(compared, cst.BooleanOperation):
            compared = compared.left
        if not isinstance(node, cst.NamedExpr) or not isinstance(compared, cst.Comparison):
            return None
        changes = Change(node.target, before="("), Change(compared.left, after=")")
        safe = _is_only_a_value(text_of(node.target), statement, file)
        return Rewrite(f"Bind `{text_of(compared.left)}`", changes, safe)


_AS_VALUE = (cst.NamedExpr, cst.Attribute, cst.Subscript, cst.Index, cst.BinaryOperation, cst.Arg)


def _is_only_a_value(name: str, statement: cst.CSTNode, file: FileTree) -> bool:
    """Does nothing in the function around ask whether the name is true?"""
    return all(
        isinstance(parent, _AS_VALUE)
        for parent in walk(file.function_around(statement))
        for child in parent.children
        if isinstance(child, cst.Name) and child.value == name
    )
