from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function, returned
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.values import Kind, Value, Via
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.returned import function_of, is_number, resolved, sizes
from gotcha_lint.rule import Example, Report, Rule, text_of


class CustomVjpStructure(Rule):
    """Returns the wrong number of gradients from the backward function of a `custom_vjp`.

    ## What happens
    `TypeError: Custom VJP bwd rule must produce an output with the same container (pytree)
    structure as the args tuple of the primal function`, when the gradient is asked for. JAX checks
    the containers and shapes, but not whether the numbers are right: `jax.test_util.check_grads`
    does. A forward function that keeps nothing: `TypeError: Custom VJP fwd rule forward ... must
    produce a pair`; one with other arguments: `takes 1 positional argument but 2 were given`.

    ## Instead
    A tuple with one entry for each argument that is not in `nondiff_argnums`, also for those with
    a default; `None` stands for zero.

    ## Not reported
    Functions with `*args`, and backward functions that return what they were given.
    """

    severity = "error"
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
        body, base = site.body, site.base
        if base is None or not site.name.endswith(".defvjp"):
            return
        primal = function_of(body, base)
        wanted = _differentiated(body, base, primal) if primal is not None else None
        if primal is None or wanted is None:
            return
        if is_test(body.model.path) or expected_to_fail(body, site.node):
            return
        rule, size = _rule(site, 1, "bwd")
        if rule is not None:
            yield from _of_backward(primal, rule, wanted, size)
            yield from _of_arguments(primal, rule, len(primal.params) - wanted + 2)
        rule, size = _rule(site, 0, "fwd")
        if rule is not None:
            yield from _of_forward(primal, rule, size)
            yield from _of_arguments(primal, rule, len(primal.params))


def _rule(site: Call, position: int, name: str) -> tuple[Function | None, int | None]:
    """A function of this file that stands for itself, and how long the tuple is that it gives."""
    given = site.arg(position, name)
    if given is None or not {v.name for v in given.via} <= {"jit"}:
        return None, None
    if given.bound or given.bound_names:
        return None, None
    many = sizes(site.body, given)
    return function_of(site.body, given), next(iter(many)) if len(many) == 1 else None


def _of_backward(
    primal: Function, rule: Function, wanted: int, size: int | None
) -> Iterator[Report]:
    """One gradient for each argument, in a tuple."""
    for value in returned(rule):
        given = _length(value, size)
        told = f"`{primal.name}` has {wanted} differentiated arguments"
        if given is not None and given != wanted:
            yield _report(value, f"gives {given} gradients, but {told}", primal)
        elif given is None and is_number(resolved(rule, value)):
            yield _report(value, f"gives an array, not a tuple of {wanted}: {told}", primal)


def _of_forward(primal: Function, rule: Function, size: int | None) -> Iterator[Report]:
    """The result, and what is kept for the backward function."""
    for value in returned(rule):
        given = _length(value, size)
        if (given is not None and given != 2) or (
            given is None and is_number(resolved(rule, value))
        ):
            what = "an array" if given is None else f"{given} values"
            message = f"gives {what}, but must give the pair `(result, residuals)`"
            yield _report(value, message, primal)


def _of_arguments(primal: Function, rule: Function, wanted: int) -> Iterator[Report]:
    plain = all(param.kind == "positional" and param.default is None for param in rule.params)
    if plain and len(rule.params) != wanted:
        node = rule.node
        yield _report(
            node.name if isinstance(node, cst.FunctionDef) else node,
            f"takes {len(rule.params)} arguments, but JAX gives it {wanted}: a forward function "
            f"gets those of `{primal.name}`, a backward function the non-differentiated ones, the "
            "residuals and the gradient",
            primal,
        )


def _report(node: cst.CSTNode, message: str, primal: Function) -> Report:
    return Report(node, message, places=((primal.node, "the function"),))


def _length(value: cst.BaseExpression, size: int | None) -> int | None:
    """Of the tuple that is returned here, if it is written out or known of the whole function."""
    if isinstance(value, cst.Tuple):
        plain = all(type(element) is cst.Element for element in value.elements)
        return len(value.elements) if plain else None
    return size


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
    text = text_of(body.model.node(number))
    if "custom_vjp" not in text or "**" in text or "nondiff_argnames" in text:
        return False
    return "nondiff_argnums" not in text or bool(via.static_nums)
