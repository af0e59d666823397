from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import last_word, source_of, walk
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.lost_stores import lost_stores
from gotcha_lint.queries.traced import abstract
from gotcha_lint.rule import Example, Report, Rule

# They take their arguments apart and build them again; a gradient hands on what it is not of, and
# Flax's transforms bring changes back.
_REBUILDS = frozenset({"jit", "pmap", "shard_map", "vmap", "scan"})
_BRINGS_BACK = frozenset({"nnx.jit", "nnx.pmap", "nn.transform", "module"})


class ArgumentMutatedInJit(Rule):
    """Stores into a dictionary argument of a jitted function, which does not return it.

    ## What happens
    Nothing, and no message says so. `jax.jit` takes its arguments apart and gives the function new
    containers: `params["w"] = w` changes the dictionary of this trace, and the caller's stays as it
    was. A step that updates its parameters like this trains nothing; without `jit` it does.

    ## Instead
    Return what is new, and bind it: `params = step(params, x)`.

    ## Not reported
    A dictionary that is returned, read or passed on after the store; one that anything may keep;
    copies; helpers, whose caller sees the store; keys that are not written out; `del` and `pop`;
    Flax NNX, whose transforms bring changes back.

    ## In a run
    Nothing: the store happens before there is a program.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, x):
                    error = params["w"] * x - 1.0
                    params["w"] = params["w"] - 0.1 * error * x  # ! argument-mutated-in-jit
                    return jnp.sum(error**2)


                params = {"w": jnp.zeros(3)}
                for _ in range(10):
                    loss = step(params, jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, x):
                    error = params["w"] * x - 1.0
                    params["w"] = params["w"] - 0.1 * error * x
                    return params, jnp.sum(error**2)


                params = {"w": jnp.zeros(3)}
                for _ in range(10):
                    params, loss = step(params, jnp.ones(3))
            """,
            shows="float(loss) == 3.0",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        trace = site.trace
        if trace is None or not (trace.direct and (trace.known or trace.filtered)) or site.hosted:
            return
        last = trace.chain[-1][1].partition(" of ")[0] if trace.chain else ""
        if last not in _REBUILDS or not trace.roles.isdisjoint(_BRINGS_BACK) or not abstract(site):
            return
        for param in site.function.params:
            if param.kind in ("star", "kwargs") or param.name in trace.static:
                continue
            for place in lost_stores(site, param.name):
                if not expected_to_fail(site, place.node) and not _called_as_it_is(site):
                    yield Report(
                        place.node,
                        f"`{source_of(place.node, 40)}` is lost: {last} gives "
                        f"`{site.function.name}` a copy of `{param.name}`, and nothing reads or "
                        f"returns it after this; return `{param.name}`",
                        why_traced=True,
                    )


def _called_as_it_is(body: Body) -> bool:
    """Somewhere its plain name is called, where the caller sees what is stored."""
    function, path = body.function, body.model.path
    bound = function.outer.bound.get(function.name, ()) if function.outer is not None else ()
    if getattr(function.node, "decorators", ()) or len(bound) > 1:  # `step = jax.jit(step)`
        return False
    kind = cst.Attribute if function.is_method else cst.Name
    called = (node.func for node in walk(body.model.tree) if isinstance(node, cst.Call))
    elsewhere = any(caller != path for caller, _ in body.usage.callers.get(body.id, ()))
    return elsewhere or any(
        isinstance(func, kind) and last_word(func) == function.name for func in called
    )
