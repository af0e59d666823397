from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.facts.sharding import EXPLICIT
from gotcha_lint.interpret.faults.remarks import UNTYPED_MESH
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree

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
    Projects in which a file uses explicit sharding on purpose: that file, what it imports, and what
    imports it. Meshes of ones only, which shard nothing. Meshes whose arrays go to `shard_map` with
    the specs that it asks for, or from `device_put` straight to numpy. Code for older releases
    (`target-jax`).
    """

    severity = "warning"
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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        if self.options.target_jax < _SINCE:
            return
        for fault in programs.faults.of(UNTYPED_MESH):
            if programs.elsewhere.says(EXPLICIT, fault.path):
                continue
            yield Foreseen(
                (fault.path, fault.span),
                "the axes of this mesh are Explicit by default: pass "
                "`axis_types=(AxisType.Auto,)` for automatic sharding",
            )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree) -> Rewrite | None:
        if not isinstance(node, cst.Call) or len(node.args) != 2:
            return None
        names = node.args[1].value
        if not isinstance(names, cst.Tuple) or not names.elements:
            return None
        types = ", ".join(["jax.sharding.AxisType.Auto"] * len(names.elements))
        types = f"({types},)" if len(names.elements) == 1 else f"({types})"
        change = Change(node.args[-1], after=f", axis_types={types}")
        return Rewrite("make the axes automatic", (change,), safe=False, imports=("jax",))
