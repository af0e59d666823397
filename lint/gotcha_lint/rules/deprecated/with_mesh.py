from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.faults.remarks import ENTERED_MESH
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree

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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(ENTERED_MESH):
            if self.options.target_jax >= _SINCE:
                yield Foreseen(
                    (fault.path, fault.span),
                    "`with mesh:` is deprecated; use `with jax.set_mesh(mesh):`",
                )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree) -> Rewrite | None:
        """Of a name, where `jax` is imported by it: a mesh of explicit axes then acts on all."""
        if "jax" not in file.imported or not isinstance(node, cst.Name | cst.Attribute):
            return None
        changes = (Change(node, before="jax.set_mesh(", after=")"),)
        return Rewrite("use jax.set_mesh", changes, safe=False)
