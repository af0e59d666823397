from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Enter
from gotcha_lint.analysis.syntax import last_word, walk
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule

_MESH = "jax.sharding.Mesh"
_SINCE = (0, 10)  # 0.9.2 says nothing


class WithMesh(Rule):
    """Enters a mesh with `with mesh:`, of which JAX warns.

    ## What happens
    Since jax 0.10: "DeprecationWarning: `with mesh:` context manager has been deprecated. Please
    use `with jax.set_mesh(mesh):` instead." Python shows such warnings in the main file and in
    tests only.

    ## Instead
    `with jax.set_mesh(mesh):`, or a `NamedSharding` of the mesh where arrays are placed.

    ## Not reported
    Meshes whose making is not seen, by a call or an annotation; files that use `set_mesh` as well,
    which choose by release. Code for older releases (`target-jax`).

    ## The price
    A warning, so far.
    """

    severity = "info"
    examples = (
        Example(
            bad="""
                import warnings

                import jax
                import jax.numpy as jnp
                from jax.sharding import PartitionSpec as P

                mesh = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    with mesh:  # ! with-mesh
                        x = jax.lax.with_sharding_constraint(jnp.ones(4), P("data"))
            """,
            good="""
                import warnings

                import jax
                import jax.numpy as jnp
                from jax.sharding import PartitionSpec as P

                mesh = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    with jax.set_mesh(mesh):
                        x = jax.lax.with_sharding_constraint(jnp.ones(4), P("data"))
            """,
            shows="any('with mesh' in str(one.message) for one in caught)",
        ),
    )

    def check(self, site: Enter) -> Iterator[Report]:
        value = site.value
        if self.options.target_jax < _SINCE or value.of != _MESH or value.maybe:
            return
        if _knows_better(site.body.model.tree):
            return
        yield Report(
            site.node,
            "`with mesh:` is deprecated; use `with jax.set_mesh(mesh):`",
            _rewritten(site),
        )


def _knows_better(tree: cst.CSTNode) -> bool:
    calls = (node for node in walk(tree) if isinstance(node, cst.Call))
    return any(last_word(call.func) in ("set_mesh", "use_mesh") for call in calls)


def _rewritten(site: Enter) -> Rewrite | None:
    """Of a name, where `jax` is imported by it: a mesh of explicit axes then acts on all arrays."""
    bound = site.body.model.module.scope.bound
    if "jax" not in bound or not isinstance(site.node, cst.Name | cst.Attribute):
        return None
    changes = (Change(site.node, before="jax.set_mesh(", after=")"),)
    return Rewrite("use jax.set_mesh", changes, safe=False)
