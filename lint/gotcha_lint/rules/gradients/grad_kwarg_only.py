from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.filling import still_free
from gotcha_lint.analysis.model import Imported
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.values import Kind, Via
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of

_HANDS_ON = frozenset({"jit", "nnx.jit"})  # what is given to these comes to the gradient as it is


class GradKwargOnly(Rule):
    """Gives the differentiated argument of a gradient function by keyword.

    ## What happens
    `TypeError: differentiating with respect to argnums=0 requires at least 1 positional arguments
    to be passed by the caller, but got only 0 positional arguments.` `argnums` counts positional
    arguments; what comes by keyword is handed on, and is never differentiated. Functions of Equinox
    `must have their first argument passed by position, not keyword`.

    ## Instead
    Pass it by position: `jax.grad(loss)(params, batch=batch)`.

    ## Not reported
    Gradients of `flax.nnx`, which look the names up.
    """

    severity = "error"
    roots = frozenset({"jax", "grad", "value_and_grad", "eqx", "equinox"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(params, batch):
                    return jnp.mean((batch @ params) ** 2)


                x = jnp.ones((4, 3))
                gradients = jax.grad(loss)(params=jnp.ones(3), batch=x)  # ! grad-kwarg-only
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(params, batch):
                    return jnp.mean((batch @ params) ** 2)


                x = jnp.ones((4, 3))
                gradients = jax.grad(loss)(jnp.ones(3), batch=x)
            """,
            raises="requires at least 1 positional arguments",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        via, named = _gradient(site), [arg.star for arg in site.node.args if arg.star]
        if via is None or "*" in named or not (site.kwargs or named) or site.decorator:
            return
        given = len(site.args) + site.callee.bound - via.bound
        wanted = max(via.wrt, default=-1) + 1
        if min(via.wrt, default=-1) < 0 or given >= wanted:
            return
        if is_test(site.body.model.path) or expected_to_fail(site.body, site.node):
            return
        yield Report(
            site.node,
            f"the gradient is with respect to the positional argument {wanted - 1}, but {given} "
            "are given by position: JAX does not differentiate keyword arguments",
            _fix(site) if via.wrt == (0,) and not (given or named) else None,
        )


def _gradient(site: Call) -> Via | None:
    """The last of the transforms that counts positions, where all is known of it."""
    callee = site.callee
    if callee.kind is not Kind.FUNCTION or (callee.maybe and type(site.node.func) is not cst.Call):
        return None
    left = list(callee.via)
    while left and left[-1].name in _HANDS_ON:
        left.pop()
    via = left[-1] if left else None
    if via is None or via.name not in GRADS or not via.shaped or via.bound < 0:
        return None
    return via if via.filtered or _is_of_jax(site.body, via) else None


def _is_of_jax(body: Body, via: Via) -> bool:
    """`jax.grad(...)` or `partial(jax.grad, ...)`, or made in a file that has no other."""
    path, number = via.site
    if path != body.model.path:
        project = body.project
        return project is not None and not (project.stars(path) or _knows_nnx(project, path))
    node = body.model.node(number)
    call = node if isinstance(node, cst.Call) else None
    nodes = [node] if call is None else [call.func, *(arg.value for arg in call.args[:1])]
    return any(_name(body, part) in ("jax.grad", "jax.value_and_grad") for part in nodes)


def _knows_nnx(project: Project, path: str) -> bool:
    return any("nnx" in name for name in project.imports(path))


def _name(body: Body, node: cst.CSTNode | None) -> str:
    name = dotted(node) or ""
    _, dot, tail = name.partition(".")
    hows = lookup(body.function.scope, name) or []
    return "".join(f"{how}{dot}{tail}" for how in hows if isinstance(how, Imported))


def _fix(site: Call) -> Rewrite | None:
    """Its first argument loses its keyword, where it is that of the first parameter."""
    project, targets, first = site.body.project, site.callee.targets, site.node.args[0]
    if project is None or len(targets) != 1 or first.keyword is None:
        return None
    left = still_free(project, next(iter(targets)), site.callee)
    if not left or left[0][:2] != (first.keyword.value, "positional"):
        return None
    return Rewrite("pass it by position", (Change(first, text=text_of(first.value)),))
