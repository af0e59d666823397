from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import last_word, literal, parents, walk
from gotcha_lint.facts.sharding import EXPLICIT_HERE
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of

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
            or _meant_explicit(site.body)
            or _is_indifferent(site)
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


_TO_HOST = frozenset({"numpy.array", "numpy.asarray", "jax.device_get"})


def _meant_explicit(body: Body) -> bool:
    """A file that this one imports, or that imports it, is written for explicit axes."""
    return body.project is not None and body.project.explicit_near(body.model.path)


def _is_indifferent(site: Call) -> bool:
    """Arrays on the mesh go to `shard_map` with the very specs that it asks for, or to the host."""
    body = site.body
    binds = [bind for bind in body.of(Bind) if bind.source is site.node]
    if len(binds) != 1 or body.function.number == 0:
        return False
    root, name = body.function.node, binds[0].name
    whole = _read(root)
    asked = whole.asked.get(name, set())
    uses = whole.uses.get(name, ())
    return bool(uses) and all(_is_harmless(body, use, whole.above, asked) for use in uses)


class _Whole(NamedTuple):
    """One function, read once for all of its meshes."""

    above: dict[int, cst.CSTNode]
    uses: dict[str, list[cst.CSTNode]]  # where each name stands, but as what is assigned
    asked: dict[str, set[str]]  # the `in_specs` of each `shard_map`, as written, by its mesh


@lru_cache(maxsize=1)
def _read(root: cst.CSTNode) -> _Whole:
    whole = _Whole(parents(root), {}, {})
    for node in walk(root):
        if isinstance(node, cst.Name):
            if not isinstance(whole.above.get(id(node)), cst.AssignTarget):
                whole.uses.setdefault(node.value, []).append(node)
        elif isinstance(node, cst.Call) and _is_shard_map(node):
            given = {arg.keyword.value: arg.value for arg in node.args if arg.keyword}
            specs = given.get("in_specs")
            if specs is not None and "mesh" in given:
                parts = specs.elements if isinstance(specs, cst.Tuple) else ()
                written = {text_of(specs), *(text_of(part.value) for part in parts)}
                whole.asked.setdefault(text_of(given["mesh"]), set()).update(written)
    return whole


def _is_shard_map(call: cst.Call) -> bool:
    """`shard_map(...)`, or `partial(shard_map, ...)`."""
    functions = [call.func, *(arg.value for arg in call.args[:1])]
    return any(last_word(function) == "shard_map" for function in functions)


def _is_harmless(
    body: Body, use: cst.CSTNode, above: dict[int, cst.CSTNode], asked: set[str]
) -> bool:
    call = _call_given(use, above)
    if call is None or _is_shard_map(call):
        return call is not None
    put = _call_given(call, above)
    if put is None or last_word(put.func) != "device_put":
        return False
    if last_word(call.func) != "NamedSharding" or len(call.args) != 2:
        return False
    outer = body.call_of(_call_given(put, above))
    return text_of(call.args[1].value) in asked or (outer is not None and outer.name in _TO_HOST)


def _call_given(node: cst.CSTNode, above: dict[int, cst.CSTNode]) -> cst.Call | None:
    """The call of which the node is an argument."""
    call = above.get(id(above.get(id(node))))
    return call if isinstance(call, cst.Call) and call.func is not node else None
