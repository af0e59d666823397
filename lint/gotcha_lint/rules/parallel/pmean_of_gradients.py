from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted, walk
from gotcha_lint.queries.gradients import Flowing
from gotcha_lint.rule import Example, Report, Rule

_SUMS = frozenset({"jax.lax.pmean", "jax.lax.psum"})
_GRADS = frozenset({"grad", "value_and_grad"})
_CASTS = frozenset({"jax.lax.pcast", "jax.lax.pvary"})
_UNCHECKED = frozenset({"check_vma", "check_rep"})


class PmeanOfGradients(Rule):
    """Averages gradients inside `jax.shard_map` as one did under `pmap`.

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


                grads = jax.shard_map(step, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())(1.0, jnp.ones(8))
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


                grads = jax.shard_map(step, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())(1.0, jnp.ones(8))
            """,
            shows="bool(grads > 1.5)",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        body = site.body
        trace = body.trace
        if site.name not in _SUMS or trace is None or trace.soft or "shard_map" not in trace.roles:
            return
        if "pmap" in trace.roles or _casts(body) or not _checked(body):
            return
        made = _gradient(site)
        if made is None or _reduces_inside(body, made):
            return
        word = site.name.rpartition(".")[2]
        yield Report(
            site.node,
            f"inside shard_map gradients of replicated parameters are summed over the devices already: "
            f"`{word}` leaves them {'N' if word == 'pmean' else 'N*N'} times too large",
            places=((made.node, "the gradients"),),
            why_traced=True,
        )


def _gradient(site: Call) -> Call | None:
    """The call of a gradient function in this body that the argument comes from."""
    node = site.arg_node(0, "x")
    flowing = Flowing(site.body)
    if isinstance(node, cst.Name):
        sources = flowing.sources.get(node.value, [])
        calls = [site.body.call_of(source) for source in sources]
        made = next((call for call in calls if _is_gradient(call)), None)
        return made if made is not None and _second_if_value(made, node.value) else None
    call = site.body.call_of(node)
    return call if _is_gradient(call) and not _with_value(call) else None


def _is_gradient(call: Call | None) -> bool:
    return call is not None and any(via.name in _GRADS for via in call.callee.via)


def _with_value(call: Call | None) -> bool:
    return call is not None and any(via.name == "value_and_grad" for via in call.callee.via)


def _second_if_value(call: Call, name: str) -> bool:
    """Of `loss, grads = value_and_grad(f)(w)` only the gradients; of `has_aux` the first of `grad`."""
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


def _reduces_inside(body: Body, made: Call) -> bool:
    """Differentiated with respect to something that was made here from the index of the device."""
    first = made.arg_node(0)
    names = {n.value for n in walk(first) if isinstance(n, cst.Name)} if first is not None else set()
    return not names & {p.name for p in body.function.params} and first is not None and not _captured(body, names)


def _captured(body: Body, names: set[str]) -> bool:
    return bool(names & set(body.function.captured))


def _casts(body: Body) -> bool:
    return any(call.name in _CASTS for call in body.of(Call))


def _checked(body: Body) -> bool:
    """The shard_map that runs this is in the same file, and nothing switches its check off."""
    assert body.trace is not None
    found = False
    for (path, number), word in body.trace.chain:
        if not word.startswith("shard_map "):
            continue
        if path != body.model.path or number < 0:
            return False
        for node in walk(body.model.nodes[number]):
            if isinstance(node, cst.Arg) and (node.star or (node.keyword and node.keyword.value in _UNCHECKED)):
                if node.star or not (isinstance(node.value, cst.Name) and node.value.value == "True"):
                    return False
        found = True
    return found
