from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.faults.derivatives import NO_NUMBER, PAIR
from gotcha_lint.program.returned_values import DICT
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.remarks import Fault
from gotcha_lint.text.file_tree import FileTree

_WORDS = {"0": "an empty tuple", "1": "a tuple of one"}


class GradMissingHasAux(Rule):
    """Differentiates a function that returns a loss and something else, without saying so.

    ## What happens
    `TypeError: Gradient only defined for scalar-output functions. Output was (Array(9.,
    dtype=float32), ...)`. A gradient needs one number. With `has_aux=True` and more than one value
    beside the loss, `TypeError: expected function with aux output to return a two-element tuple`.

    ## Instead
    `jax.value_and_grad(loss, has_aux=True)` of a function that returns `(loss, extra)`; with
    several extras `(loss, (a, b))`. It gives `(value, extra), gradients`.

    ## Not reported
    Functions of which one `return` may give a single number.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(w, batch):
                    predicted = batch @ w
                    return jnp.mean(predicted**2), predicted


                step = jax.value_and_grad(loss)  # ! grad-missing-has-aux
                (value, predicted), gradients = step(jnp.ones(3), jnp.ones((4, 3)))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(w, batch):
                    predicted = batch @ w
                    return jnp.mean(predicted**2), predicted


                step = jax.value_and_grad(loss, has_aux=True)
                (value, predicted), gradients = step(jnp.ones(3), jnp.ones((4, 3)))
            """,
            raises="Gradient only defined for scalar-output functions",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(w, batch):
                    predicted = batch @ w
                    return jnp.mean(predicted**2), predicted, jnp.max(predicted)


                step = jax.grad(loss, has_aux=True)  # ! grad-missing-has-aux
                gradients, extra = step(jnp.ones(3), jnp.ones((4, 3)))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(w, batch):
                    predicted = batch @ w
                    return jnp.mean(predicted**2), (predicted, jnp.max(predicted))


                step = jax.grad(loss, has_aux=True)
                gradients, extra = step(jnp.ones(3), jnp.ones((4, 3)))
            """,
            raises="return a two-element tuple",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(NO_NUMBER):
            _, _, what, aux, single = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                _message(fault),
                fault.places,
                fault.certain,
                hint="aux" if what == str(PAIR) and single and not aux else "",
            )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        match node:
            case cst.Call(args=[*_, last]) if hint and not isinstance(last.comma, cst.Comma):
                change = Change(last, after=", has_aux=True")
                return Rewrite("say `has_aux=True`", (change,), safe=False)
        return None


def _message(fault: Fault) -> str:
    name, word, size, aux, _ = fault.text
    what = "a dict" if size == DICT else _WORDS.get(size, f"{size} values")
    if aux:
        return f"`{name}` returns {what}; with `has_aux=True` it must return `(loss, extra)`"
    way = "return `(loss, extra)`" if size == DICT else "say `has_aux=True`"
    return f"`{name}` returns {what}, but `{word}` expects one number: {way}"
