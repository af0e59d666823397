from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.values import Kind, Value, Via
from gotcha_lint.queries.expected import expected_to_fail, is_test
from gotcha_lint.queries.returned import function_of, lengths, returned
from gotcha_lint.rule import Example, Report, Rule, text_of


class CustomVjpStructure(Rule):
    """Returns from the backward function of a `custom_vjp` not one gradient for each argument.

    ## What happens
    `TypeError: Custom VJP bwd rule must produce an output with the same container (pytree)
    structure as the args tuple of the primal function`, when the gradient is asked for. JAX checks
    the containers and shapes, but not whether the numbers are right: `jax.test_util.check_grads`
    does.

    ## Instead
    A tuple with one entry for each argument that is not in `nondiff_argnums`, also for those with
    a default; `None` stands for zero.

    ## Not reported
    Functions with `*args`, and backward functions that return what they were given.
    """

    severity = "error"
    preview = True
    roots = frozenset({"defvjp"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.custom_vjp
                def scaled(x, factor):
                    return x * factor


                def forward(x, factor):
                    return scaled(x, factor), factor


                def backward(factor, cotangent):
                    return (cotangent * factor,)  # ! custom-vjp-structure


                scaled.defvjp(forward, backward)
                gradient = jax.grad(lambda x: scaled(x, 2.0).sum())(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.custom_vjp
                def scaled(x, factor):
                    return x * factor


                def forward(x, factor):
                    return scaled(x, factor), factor


                def backward(factor, cotangent):
                    return cotangent * factor, None


                scaled.defvjp(forward, backward)
                gradient = jax.grad(lambda x: scaled(x, 2.0).sum())(jnp.ones(3))
            """,
            raises="Custom VJP bwd rule must produce an output with the same container",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        body = site.body
        backward = site.arg(1, "bwd")
        if site.base is None or backward is None or not site.name.endswith(".defvjp"):
            return
        primal, rule = function_of(body, site.base), function_of(body, backward)
        wanted = _differentiated(body, site.base, primal) if primal is not None else None
        if rule is None or wanted is None or not {v.name for v in backward.via} <= {"jit"}:
            return
        sizes = lengths(rule)
        if not sizes or is_test(body.model.path) or expected_to_fail(body, site.node):
            return
        for value in returned(rule):
            given = len(value.elements) if isinstance(value, cst.Tuple) else wanted
            if given != wanted and primal is not None:
                yield Report(
                    value,
                    f"gives {given} gradients, but `{primal.name}` has {wanted} differentiated "
                    "arguments",
                    places=((primal.node, "the function"),),
                )


def _differentiated(body: Body, value: Value, primal: Function) -> int | None:
    """How many arguments a `custom_vjp` has a gradient for; None where that is not known."""
    if len(value.via) != 1 or value.via[0].name != "custom" or value.bound or value.bound_names:
        return None
    if value.kind is not Kind.FUNCTION or any(p.kind != "positional" for p in primal.params):
        return None
    via = value.via[0]
    skipped = set(via.static_nums)
    if not _is_read(body, via) or any(not 0 <= n < len(primal.params) for n in skipped):
        return None
    return len(primal.params) - len(skipped)


def _is_read(body: Body, via: Via) -> bool:
    """The options of `custom_vjp` could be read."""
    path, number = via.site
    if path != body.model.path:
        return False
    text = text_of(body.model.nodes[number])
    if "custom_vjp" not in text or "**" in text or "nondiff_argnames" in text:
        return False
    return "nondiff_argnums" not in text or bool(via.static_nums)
