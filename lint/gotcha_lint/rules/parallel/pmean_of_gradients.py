from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.replicated import made_here, summed
from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import dotted, last_word, walk
from gotcha_lint.analysis.values import GRADIENTS, UNKNOWN, Kind, Value
from gotcha_lint.rule import Example, Report, Rule

_SUMS = frozenset({"jax.lax.pmean", "jax.lax.psum", "jax.tree.map"})


class PmeanOfGradients(Rule):
    """Averages gradients inside `jax.shard_map` as it is done under `pmap`.

    ## What happens
    The gradient of a replicated parameter is already summed over the devices, because
    differentiation inverts the replication. `pmean` of equal values changes nothing, so the
    gradient is N times too large on N devices (4.0 on 4), and with `psum` N squared times (16).
    Nothing fails. Under `jax.pmap`, or with `check_vma=False`, `pmean` is right.

    ## Instead
    Average the loss inside of the differentiated function, or make the parameters varying first
    with `jax.lax.pcast(params, axis, to="varying")`; each gives a factor of 1.0.

    ## References
    https://github.com/jax-ml/jax/issues/36886
    """

    severity = "error"
    roots = frozenset({"shard_map"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from jax.sharding import AxisType, PartitionSpec as P

                mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))


                def loss(w, x):
                    return jnp.mean(w * x)


                def step(w, x):
                    grads = jax.grad(loss)(w, x)
                    return jax.lax.pmean(grads, "data")  # ! pmean-of-gradients


                specs = (P(), P("data"))
                run = jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=P())
                grads = run(1.0, jnp.ones(8))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from jax.sharding import AxisType, PartitionSpec as P

                mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))


                def loss(w, x):
                    return jax.lax.pmean(jnp.mean(w * x), "data")


                def step(w, x):
                    return jax.grad(loss)(w, x)


                specs = (P(), P("data"))
                run = jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=P())
                grads = run(1.0, jnp.ones(8))
            """,
            shows="bool(grads > 1.5)",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        body = site.body
        if site.name not in _SUMS or not summed(body):
            return
        averages, value, word = _averaged(site)
        made = _gradient_of(site, averages) if word else None
        wrt = made.arg_node(0) if made is not None else None
        if (made is None and not _is_summed(value)) or (wrt is not None and made_here(body, wrt)):
            return
        yield Report(
            site.node,
            f"inside shard_map gradients of replicated parameters are already summed over devices: "
            f"`{word}` leaves them {'N' if word == 'pmean' else 'N*N'} times too large",
            places=((made.node, "the gradients"),) if made is not None else (),
            why_traced=True,
        )


_MEAN_OR_SUM = ("pmean", "psum")


def _averaged(site: Call) -> tuple[cst.CSTNode | None, Value, str]:
    """What is averaged over devices, and how: also by `tree.map(lambda g: pmean(g), grads)`."""
    if site.name != "jax.tree.map":
        word = site.name.rpartition(".")[2]
        return site.arg_node(0, "x"), site.arg(0, "x") or UNKNOWN, word
    match site.arg_node(0):
        case cst.Lambda(
            params=cst.Parameters(params=[cst.Param(name=cst.Name(value=leaf))]), body=body
        ):
            word = _sum_of(body, leaf)
            return site.arg_node(1), (site.arg(1) or UNKNOWN) if word else UNKNOWN, word
    return None, UNKNOWN, ""


def _is_summed(value: Value) -> bool:
    """Gradients that another function took, alone or beside the loss."""
    if value.kind is Kind.TUPLE:
        return any(map(_is_summed, value.items))
    return value.kind is Kind.TREE and value.of == GRADIENTS and not value.maybe


def _sum_of(node: cst.CSTNode, leaf: str) -> str:
    """`pmean(g)`, `psum(g)`, or the mean that `psum(g) / n` is."""
    match node:
        case cst.BinaryOperation(left=left, operator=cst.Divide()):
            return "pmean" if _sum_of(left, leaf) == "psum" else ""
        case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=given)), *_]) if given == leaf:
            word = last_word(func)
            return word if word in _MEAN_OR_SUM else ""
    return ""


def _gradient_of(site: Call, node: cst.CSTNode | None) -> Call | None:
    """The call of a gradient function in this body that the argument comes from."""
    flowing = Flowing(site.body)
    if isinstance(node, cst.Tuple):
        parts = (_gradient_of(site, element.value) for element in node.elements)
        return next((part for part in parts if part is not None), None)
    if isinstance(node, cst.Name):
        sources = flowing.sources.get(node.value, [])
        calls = [site.body.call_of(source) for source in sources]
        made = next((call for call in calls if _is_gradient(call)), None)
        return made if made is not None and _second_if_value(made, node.value) else None
    call = site.body.call_of(node)
    return call if _is_gradient(call) else None


def _is_gradient(call: Call | None) -> bool:
    return call is not None and any(via.name in GRADS for via in call.callee.via)


def _with_value(call: Call | None) -> bool:
    return call is not None and any(via.name == "value_and_grad" for via in call.callee.via)


def _second_if_value(call: Call, name: str) -> bool:
    """Of `loss, grads = value_and_grad(f)(w)` only the gradients."""
    statement = call.at.statement
    for node in walk(statement):
        if isinstance(node, cst.AssignTarget):
            if isinstance(node.target, cst.Name):
                return node.target.value == name and not _with_value(call)
            if isinstance(node.target, cst.Tuple):
                place = 1 if _with_value(call) else 0
                elements = node.target.elements
                return len(elements) > place and dotted(elements[place].value) == name
    return False
