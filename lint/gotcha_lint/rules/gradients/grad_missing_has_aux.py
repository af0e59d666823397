from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import Value, Via
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.returned import function_of, gives_dict, sizes
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule

_SAME_SHAPE = frozenset({"jit", "nnx.jit", "checkpoint", "vmap", "inline"})
_WORDS = {0: "an empty tuple", 1: "a tuple of one"}


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
    roots = frozenset({"grad", "jacobian", "jacfwd", "jacrev", "hessian"})
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

    def check(self, site: Call) -> Iterator[Report]:
        via = _gradient(site)
        loss = site.arg(0, "fun", "f")
        if via is None or loss is None or not {v.name for v in loss.via} <= _SAME_SHAPE:
            return
        function, many = function_of(site.body, loss), sizes(site.body, loss)
        if via.has_aux and 2 in many:
            return
        what = _words(max(many)) if many else "a dict" if gives_dict(function) else ""
        if not what or is_test(site.body.model.path) or expected_to_fail(site.body, site.node):
            return
        yield Report(
            site.node,
            _message(site, loss, via, what),
            _fix(site) if not via.has_aux and many == {2} else None,
            places=((function.node, "the function"),) if function is not None else (),
        )


def _gradient(site: Call) -> Via | None:
    """The options of a call of `jax.grad` or its kin, where they can all be read."""
    role = site.body.fact(site).transform
    positional = len(site.args) > 2
    if role is None or role.role not in GRADS or not site.name.endswith("grad") or positional:
        return None
    via = site.result.via[-1] if site.result.via else None
    return via if via is not None and via.shaped and not site.starred else None


def _words(size: int) -> str:
    return _WORDS.get(size, f"{size} values")


def _message(site: Call, loss: Value, via: Via, what: str) -> str:
    word, project = site.name.rpartition(".")[2], site.body.project
    name = project.function(next(iter(loss.targets))).name if project is not None else ""
    if via.has_aux:
        return f"`{name}` returns {what}; with `has_aux=True` it must return `(loss, extra)`"
    way = "return `(loss, extra)`" if what == "a dict" else "say `has_aux=True`"
    return f"`{name}` returns {what}, but `{word}` expects one number: {way}"


def _fix(site: Call) -> Rewrite | None:
    last = site.node.args[-1] if site.node.args and not site.decorator else None
    if last is None or type(last.comma) is cst.Comma:
        return None
    change = Change(last, after=", has_aux=True")
    return Rewrite("say `has_aux=True`", (change,), safe=False)
