from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.limits import is_guarded
from gotcha_lint.analysis.reaching import Reaching
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.gradients import differentiated, given_gradients
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.solve.programs import Programs

_NORMS = frozenset(
    {"jax.numpy.linalg.norm", "optax.global_norm", "optax.tree.norm", "jax.numpy.std", "array.std"}
)
_SUMS = frozenset(
    {"jax.numpy.sum", "jax.numpy.var", "array.sum", "array.var", "jax.numpy.dot", "jax.numpy.vdot"}
)


class NormAtZero(Rule):
    """Differentiates a norm or a standard deviation that can be zero.

    ## What happens
    The gradient of `jnp.linalg.norm`, `optax.global_norm` and `jnp.std` at zero is NaN, and that of
    `sqrt(0)` is infinite. It hits zero-initialised heads, equal points, constant batches.

    ## Instead
    Add a small number inside of the root, `jnp.sqrt(jnp.sum(x**2) + 1e-12)`, or use
    `optax.safe_norm(x, 1e-6)`; for a penalty use the squared norm.

    ## Not reported
    Norms of gradients and other metrics that never reach the loss.
    """

    severity = "warning"
    confidence = "medium"
    preview = True
    roots = frozenset({"grad", "jacobian", "jacfwd", "jacrev", "hessian"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(w, x):
                    return jnp.linalg.norm(w * x)  # ! norm-at-zero


                grads = jax.grad(loss)(jnp.zeros(3), jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(w, x):
                    return jnp.sqrt(jnp.sum((w * x) ** 2) + 1e-12)


                grads = jax.grad(loss)(jnp.zeros(3), jnp.ones(3))
            """,
            shows="bool(jnp.isnan(grads).any())",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        body = site.body
        if not differentiated(body) or "safe" in body.function.name:
            return
        if not given_gradients(body) or is_test(body.model.path):
            return
        flowing = Reaching(body, site.at)
        inner = _inside(site, flowing)
        if inner is None or is_guarded(flowing, inner):
            return
        if not flowing.from_parameters(inner) or not flowing.to_the_loss(site.node):
            return
        yield Report(
            site.node,
            "the gradient of this is NaN where it is zero: add a small number inside of the root",
            why_traced=True,
        )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("norm"):
            (word,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"the gradient of {word} is NaN where it is zero: add a small number inside of the "
                "root",
                fault.places,
                certain=False,
            )


def _inside(site: Call, flowing: Reaching) -> cst.CSTNode | None:
    """What is squared and summed, of a norm or a root of squares."""
    if site.name in _NORMS:
        order = site.arg(1, "ord")
        if (
            site.name == "jax.numpy.linalg.norm"
            and order is not None
            and order.literal not in (None, 2)
        ):
            return None
        if (
            site.base is not None
            and site.base.kind is Kind.ARRAY
            and isinstance(site.node.func, cst.Attribute)
        ):
            return site.node.func.value
        return site.arg_node(0, "x", "a", "tree")
    if site.name not in ("jax.numpy.sqrt", "jax.lax.sqrt"):
        return None
    inner = site.arg_node(0, "x")
    whole = flowing.resolve(inner) if inner is not None else None
    call = site.body.call_of(whole)
    return whole if call is not None and call.name in _SUMS else None
