from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Operate
from gotcha_lint.analysis.syntax import last_word, source_of, walk
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.rule import Example, Report, Rule

_ALGEBRA = ("jax.numpy.linalg.", "jax.scipy.linalg.")
_NUMPY = ("jax.numpy.", "jax.scipy.", "jax.nn.", "jax.lax.")
_QUIET = frozenset({"builtins.print", "builtins.len", "builtins.range"})
_DIVIDES = (cst.Divide, cst.FloorDivide, cst.Modulo)


class ExceptNeverRaised(Rule):
    """Waits for an error of numpy or Python that arrays of JAX never raise.

    ## What happens
    `jnp.linalg.inv` of a singular matrix gives nan or inf, and so do `solve` and `cholesky`, where
    numpy raises `LinAlgError`; an array divided by zero gives inf, nan, or for integers some
    number, and no `ZeroDivisionError`. What stands under `except` never runs, and the result goes
    on into all that is computed from it.

    ## Instead
    Ask for the value: `jnp.where(jnp.isfinite(inverse).all(), inverse, fallback)`; or compute in
    numpy on the host, which raises.

    ## Not reported
    A `try` in which anything else may raise the error: functions of other libraries or of the
    project, numbers divided by numbers.

    ## In a run
    `non-finite-value`, where the value is read.
    """

    severity = "warning"
    confidence = "medium"
    roots = frozenset({"LinAlgError", "ZeroDivisionError"})
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import numpy as np

                singular = jnp.ones((2, 2))
                try:
                    inverse = jnp.linalg.inv(singular)
                except np.linalg.LinAlgError:  # ! except-never-raised
                    inverse = jnp.linalg.pinv(singular)
            """,
            good="""
                import jax.numpy as jnp
                import numpy as np

                singular = jnp.ones((2, 2))
                inverse = jnp.linalg.inv(singular)
                inverse = jnp.where(jnp.isfinite(inverse).all(), inverse, jnp.linalg.pinv(singular))
            """,
            shows="not bool(jnp.isfinite(inverse).all())",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        for node in walk(site.function.node, into_functions=False):
            if isinstance(node, cst.Try):
                yield from _handlers(site, node)


def _handlers(body: Body, node: cst.Try) -> Iterator[Report]:
    for handler in node.handlers:
        caught = _caught(handler)
        if caught == {"LinAlgError"} and _only_algebra(body, node.body):
            yield _report(handler, "`jax.numpy.linalg` gives nan or inf and raises no")
        elif caught == {"ZeroDivisionError"} and _only_arrays(body, node.body):
            yield _report(handler, "arrays of JAX are divided by zero without a")


def _report(handler: cst.ExceptHandler, text: str) -> Report:
    kind = handler.type
    shown = kind if kind is not None else handler
    return Report(shown, f"{text} `{source_of(shown)}`: this never runs")


def _caught(handler: cst.ExceptHandler) -> set[str]:
    match handler.type:
        case cst.Tuple(elements=elements):
            return {last_word(element.value) for element in elements}
        case None:
            return set()
        case kind:
            return {last_word(kind)}


def _only_algebra(body: Body, block: cst.CSTNode) -> bool:
    """Linear algebra of JAX, and nothing that is not known."""
    calls = _calls(body, block)
    return any(name.startswith(_ALGEBRA) for name in calls) and _all_of_jax(calls)


def _only_arrays(body: Body, block: cst.CSTNode) -> bool:
    """All that is divided is divided by an array, or is one."""
    inside = {id(part) for part in walk(block)}
    divided = [
        site
        for site in body.of(Operate)
        if id(site.node) in inside
        and isinstance(site.node, cst.BinaryOperation)
        and isinstance(site.node.operator, _DIVIDES)
    ]
    sure = all(any(_is_array(one) for one in (site.left, site.right)) for site in divided)
    return bool(divided) and sure and _all_of_jax(_calls(body, block))


def _calls(body: Body, block: cst.CSTNode) -> list[str]:
    """The names of all that is called, "" where it is not known."""
    nodes = (node for node in walk(block) if isinstance(node, cst.Call))
    calls: list[Call | None] = [body.call_of(node) for node in nodes]
    return [call.name if call is not None else "" for call in calls]


def _all_of_jax(names: list[str]) -> bool:
    return all(name.startswith((*_NUMPY, "array.")) or name in _QUIET for name in names)


def _is_array(value: Value) -> bool:
    return value.kind is Kind.ARRAY and not value.maybe
