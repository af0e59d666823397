from collections.abc import Iterator
from functools import lru_cache

import libcst as cst

from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import literal, walk
from gotcha_lint.facts.sharding import EXPLICIT_HERE
from gotcha_lint.queries.meshes import is_indifferent, meant_explicit
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule

_SINCE = (0, 9)  # 0.8.3 still made automatic ones: docs/measured/releases/


class MeshAxisTypes(Rule):
    """Makes a mesh without saying whether its axes are automatic: they are explicit now.

    ## What happens
    Since jax 0.9 `jax.make_mesh` gives axes of the type Explicit. Code written for automatic
    sharding then fails: `ShardingTypeError: Contracting dimensions are sharded and it is
    ambiguous...` in an ordinary matrix product or gradient, or `ValueError: in_specs passed to
    shard_map ... does not match`.

    ## Instead
    `jax.make_mesh(shape, names, axis_types=(jax.sharding.AxisType.Auto,) * len(names))`.

    ## Not reported
    Files that use explicit sharding on purpose, and those that import them or that they import.
    Meshes of ones only, which shard nothing. Meshes whose arrays go to `shard_map` with the specs
    that it asks for, or from `device_put` straight to numpy. Code for
    older releases (`target-jax`).
    """

    severity = "warning"
    confidence = "medium"
    roots = frozenset({"make_mesh"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from jax.sharding import NamedSharding, PartitionSpec as P

                mesh = jax.make_mesh((4,), ("data",))  # ! mesh-axis-types
                x = jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P(None, "data")))
                w = jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P("data", None)))
                y = jax.jit(jnp.matmul)(x, w)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from jax.sharding import NamedSharding, PartitionSpec as P

                mesh = jax.make_mesh((4,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
                x = jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P(None, "data")))
                w = jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P("data", None)))
                y = jax.jit(jnp.matmul)(x, w)
            """,
            raises="ShardingTypeError",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if self.options.target_jax < _SINCE:
            return
        if site.name != "jax.make_mesh" or site.starred or site.arg(2, "axis_types") is not None:
            return
        if _is_of_ones(site.arg_node(0, "axis_shapes")):
            return
        if (
            _says_explicit(site.body.model.tree)
            or meant_explicit(site.body)
            or is_indifferent(site)
        ):
            return
        yield Report(
            site.node,
            "the axes of this mesh are Explicit by default: pass `axis_types=(AxisType.Auto,)` for "
            "automatic sharding",
            _fix(site),
        )


def _is_of_ones(shape: cst.BaseExpression | None) -> bool:
    if not isinstance(shape, cst.Tuple | cst.List):
        return False
    sizes = [literal(element.value) for element in shape.elements]
    return bool(sizes) and all(size == 1 for size in sizes)


def _fix(site: Call) -> Rewrite | None:
    names = site.arg_node(1, "axis_names")
    if not isinstance(names, cst.Tuple) or len(site.node.args) != 2 or not names.elements:
        return None
    types = ", ".join(["jax.sharding.AxisType.Auto"] * len(names.elements))
    types = f"({types},)" if len(names.elements) == 1 else f"({types})"
    change = Change(site.node.args[-1], after=f", axis_types={types}")
    return Rewrite("make the axes automatic", (change,), safe=False, imports=("jax",))


@lru_cache(maxsize=4)
def _says_explicit(module: cst.Module) -> bool:
    names = (node.value for node in walk(module) if isinstance(node, cst.Name))
    return not EXPLICIT_HERE.isdisjoint(names)
