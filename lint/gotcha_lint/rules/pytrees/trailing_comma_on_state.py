from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import dotted, names_in
from gotcha_lint.analysis.values import Kind
from gotcha_lint.queries.places import long_loops
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of


class TrailingCommaOnState(Rule):
    """Ends the line that updates a state with a comma, which makes a tuple of it.

    ## What happens
    `params = step(params, x),` binds `(params,)`. A tuple is a pytree too, so that a step that maps
    over its leaves takes it: in each iteration the state is one tuple deeper, and the step compiles
    again, 20 times in 20 iterations. Others fail far away, with `TypeError: tuple indices must be
    integers or slices, not str`.

    ## Instead
    Without the comma. Where the tuple is meant, write its parentheses: `(step(params, x),)`.

    ## Not reported
    Tuples in parentheses; calls that are not given what they assign; outside of loops, what is not
    known to be a tree of arrays.

    ## In a run
    The sanitizer tells of the compilations: `recompile`, cause `pytree`.
    """

    severity = "error"
    preview = True
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

    def check(self, site: Call) -> Iterator[Report]:
        value = _one_tuple(site)
        if value is None or any("isinstance" in names_in(guard.test) for guard in site.at.guards):
            return
        if not long_loops(site) and not _is_tree(site):
            return
        comma = text_of(value)[len(text_of(site.node)) :]
        yield Report(
            value,
            "the comma at the end of the line makes a tuple with one element: the next call of "
            f"`{text_of(site.node.func)}` gets a tuple that holds the state",
            Rewrite("remove the comma", (Change(value, like=site.node),)) if comma else None,
        )


def _one_tuple(site: Call) -> cst.Tuple | None:
    """`state = update(state),`: the tuple without parentheses that is assigned."""
    match site.at.statement:
        case cst.SimpleStatementLine(
            body=[
                cst.Assign(
                    targets=[cst.AssignTarget(target=target)],
                    value=cst.Tuple(lpar=[], elements=[cst.Element(value=element)]) as value,
                )
            ]
        ) if element is site.node:
            name = dotted(target)
            given = [dotted(arg.value) for arg in site.node.args if not arg.star]
            return value if name is not None and name in given else None
    return None


def _is_tree(site: Call) -> bool:
    """What it gives is certainly a tree of arrays."""
    return site.result.kind is Kind.TREE and not site.result.maybe
