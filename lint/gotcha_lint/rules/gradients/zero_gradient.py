from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import RESULT
from gotcha_lint.analysis.returning import returned
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.slopes import Slopes
from gotcha_lint.analysis.syntax import source_of, walk
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.gradients import differentiated, is_loss
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.solve.programs import Programs


class ZeroGradient(Rule):
    """Differentiates a loss that its parameters cannot move.

    ## What happens
    Rounding, `argmax`, comparisons and integers have no slope, and `stop_gradient` lets none
    through. JAX never says that a gradient is missing: it is zero, the optimizer works, and these
    parameters stay as they were.

    ## Instead
    Use the logits or probabilities in place of the decision, as
    `optax.softmax_cross_entropy_with_integer_labels` does, or a straight-through estimator:
    `soft + jax.lax.stop_gradient(hard - soft)`. An accuracy is a metric: return it beside the loss,
    with `has_aux=True`.

    ## Not reported
    A loss that a parameter reaches in one other way, or through code that the linter does not
    know; tests. Single parameters without a gradient: the sanitizer sees those.

    ## The price
    Parameters that never learn.
    """

    severity = "error"
    roots = frozenset({"grad", "jacobian", "jacfwd", "jacrev", "hessian"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(w, x, labels):
                    predicted = jnp.argmax(x @ w, axis=-1)
                    return jnp.mean(predicted != labels)  # ! zero-gradient


                @jax.jit
                def update(w, x, labels):
                    return w - jax.grad(loss)(w, x, labels)


                x, labels = jnp.ones((4, 3)), jnp.array([0, 1, 2, 0])
                w = update(jnp.eye(3), x, labels)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(w, x, labels):
                    log_p = jax.nn.log_softmax(x @ w)
                    return -jnp.mean(jnp.take_along_axis(log_p, labels[:, None], axis=-1))


                @jax.jit
                def update(w, x, labels):
                    return w - jax.grad(loss)(w, x, labels)


                x, labels = jnp.ones((4, 3)), jnp.array([0, 1, 2, 0])
                w = update(jnp.eye(3), x, labels)
            """,
            shows="float(w[0, 0]) == 1",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if not differentiated(site) or not is_loss(site) or is_test(site.model.path):
            return
        wrt = set(filter(str.isidentifier, site.graded))
        slopes = Slopes(site, wrt, site.usage.flat.__contains__)
        found = slopes.ends(_losses(site))
        if not found:
            return
        ends = [node for node in walk(site.function.node) if node in found]
        names = " and ".join(f"`{name}`" for name in sorted(wrt & slopes.read(ends[0])))
        yield Report(
            ends[0],
            f"no gradient comes through `{source_of(ends[0])}`, and the loss depends on {names} "
            "in no other way: it is zero",
            places=(
                *((node, "nor through this") for node in ends[1:]),
                *((node, "this is the loss") for node in _losses(site) if node not in ends),
            ),
            why_traced=True,
        )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("unread"):
            (name,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"the gradient is taken of `{name}`, which the loss does not read: it is zero",
                fault.places,
                fault.certain,
                about=fault.about,
            )
        for fault in programs.faults.of("cut"):
            word, leaf = fault.text
            what = f"the leaf `{leaf}` of what is differentiated" if leaf else "the parameters"
            yield Foreseen(
                (fault.path, fault.span),
                f"no gradient comes through `{word}`, and the loss depends on {what} in no other "
                "way: it is zero",
                fault.places,
                fault.certain,
                about=fault.about,
            )


def _losses(body: Body) -> Iterator[cst.CSTNode]:
    """What it returns, or the first of that, where the rest is auxiliary."""
    whole = RESULT in body.graded
    for value in returned(body.function):
        pair = isinstance(value, cst.Tuple) and value.elements and not whole
        yield value.elements[0] if pair else value  # type: ignore[attr-defined]
