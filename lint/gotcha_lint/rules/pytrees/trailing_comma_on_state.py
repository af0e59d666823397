from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.faults.remarks import RATE_OF_ONE, TUPLE_OF_ONE
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree


class TrailingCommaOnState(Rule):
    """Ends the line that updates a state with a comma, which makes a tuple of it.

    ## What happens
    `params = step(params, x),` binds `(params,)`. A tuple is a pytree too, so that a step that maps
    over its leaves takes it: in each iteration the state is one tuple deeper, and the step compiles
    again, 20 times in 20 iterations. Others fail far away, with `TypeError: tuple indices must be
    integers or slices, not str`. `learning_rate = 1e-3,` in a configuration fails where an
    optimizer negates it: `TypeError: bad operand type for unary -: 'tuple'`.

    ## Instead
    Without the comma. Where the tuple is meant, write its parentheses: `(step(params, x),)`.

    ## Not reported
    Tuples of arrays in parentheses; calls that are not given what they assign; outside of loops,
    what is not known to be a tree of arrays. Fewer than three rates of one class or module that are
    tuples of one number may be a search: shown with `--all`.

    ## In a run
    The sanitizer tells of the compilations: `recompile`, cause `pytree`.
    """

    severity = "error"
    confidence = "medium"
    confirmed_by = (("recompile", "pytree"),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def decay(params):
                    return jax.tree.map(lambda leaf: leaf * 0.9, params)


                params = {"w": jnp.ones(3)}
                for _ in range(20):
                    params = decay(params),  # ! trailing-comma-on-state
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def decay(params):
                    return jax.tree.map(lambda leaf: leaf * 0.9, params)


                params = {"w": jnp.ones(3)}
                for _ in range(20):
                    params = decay(params)
            """,
            compiles=15,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(TUPLE_OF_ONE):
            yield Foreseen(
                (fault.path, fault.span),
                "the comma at the end of the line makes a tuple with one element: the next call of "
                f"`{fault.text[0]}` gets a tuple that holds the state",
            )

        for fault in programs.faults.of(RATE_OF_ONE):
            yield Foreseen(
                (fault.path, fault.span),
                f"the comma makes a tuple of `{fault.text[0]}`: negated or multiplied with an "
                "array, it raises a `TypeError`",
                certain=fault.certain,
            )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree) -> Rewrite | None:
        match node:
            case cst.Tuple(elements=[cst.Element(value=element)]):
                return Rewrite("remove the comma", (Change(node, like=element),))
        return None
