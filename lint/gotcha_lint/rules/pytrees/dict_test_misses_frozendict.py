from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Operate
from gotcha_lint.analysis.syntax import dotted, walk
from gotcha_lint.queries.classes import named_types
from gotcha_lint.queries.plain_dicts import only_plain_dicts
from gotcha_lint.rule import Example, Report, Rule

_CONVERTS = frozenset(
    f"{module}.{name}" for module in ("numpy", "jax.numpy") for name in ("asarray", "array")
) | {"jax.device_get"}
_HANDLED = frozenset({"FrozenDict", "Mapping", "MutableMapping", "unfreeze", "State"})


class DictTestMissesFrozendict(Rule):
    """Walks a tree with `isinstance(x, dict)` and takes everything else for an array.

    ## What happens
    A `FrozenDict` and an `nnx.State` are mappings, but no dicts. They fall through to the leaf
    branch, where `np.asarray(FrozenDict(...))` gives an array of the keys' names, `dtype='<U5'`.
    The weights are gone, without an error.

    ## Instead
    `jax.tree.map` knows every container; or test for `collections.abc.Mapping`.

    ## Not reported
    Nested functions that only get plain dicts, such as `nnx.to_pure_dict` gives.
    """

    severity = "warning"
    preview = True
    examples = (
        Example(
            bad="""
                import flax
                import jax.numpy as jnp
                import numpy as np


                def to_numpy(tree):
                    if isinstance(tree, dict):  # ! dict-test-misses-frozendict
                        return {k: to_numpy(v) for k, v in tree.items()}
                    return np.asarray(tree)


                saved = to_numpy(flax.core.freeze({"dense": jnp.ones((2, 2))}))
            """,
            good="""
                import flax
                import jax
                import jax.numpy as jnp
                import numpy as np


                def to_numpy(tree):
                    return jax.tree.map(np.asarray, tree)


                saved = to_numpy(flax.core.freeze({"dense": jnp.ones((2, 2))}))
            """,
            shows="getattr(saved, 'dtype', None) == '<U5'",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        name, params = site.function.name, site.function.params
        if not params or not any(i.partition(".")[0] == "flax" for i in site.model.imports):
            return
        calls = [call for call in site.of(Call) if not call.decorator]
        again = any(dotted(call.node.func) in (name, f"self.{name}") for call in calls)
        tests = [(c.node, c.node.args[0].value) for c in calls if _tests_dict(site, c)]
        tests += [(o.node, tree) for o in site.of(Operate) if (tree := _type_is_dict(site, o))]
        if not again or not tests:
            return
        tree = dotted(tests[0][1])
        leaf = [call for call in calls if call.name in _CONVERTS and _takes(call, tree)]
        if leaf and tree and not _handles(site) and not only_plain_dicts(site, tree):
            yield Report(
                tests[0][0],
                "a `FrozenDict` or an `nnx.State` is not a `dict`: it falls through to "
                f"`{dotted(leaf[0].node.func)}`, which makes an array of its keys; use "
                "`jax.tree.map`",
            )


def _tests_dict(body: Body, call: Call) -> bool:
    return (
        call.name == "builtins.isinstance"
        and len(call.node.args) == 2
        and dotted(call.node.args[0].value) in {param.name for param in body.function.params}
        and "builtins.dict" in named_types(body, call.node.args[1].value)
    )


def _type_is_dict(body: Body, place: Operate) -> cst.BaseExpression | None:
    """x, in `type(x) is dict`, of a parameter x."""
    match place.node:
        case cst.Comparison(
            left=cst.Call(func=cst.Name(value="type"), args=[cst.Arg(value=tree)]),
            comparisons=[
                cst.ComparisonTarget(operator=cst.Is() | cst.IsNot() | cst.Equal() | cst.NotEqual())
            ],
        ):
            named = named_types(body, place.node.comparisons[0].comparator)
            params = {param.name for param in body.function.params}
            return tree if named == ("builtins.dict",) and dotted(tree) in params else None
    return None


def _takes(call: Call, tree: str | None) -> bool:
    return bool(call.node.args) and dotted(call.node.args[0].value) == tree and tree is not None


def _handles(body: Body) -> bool:
    """The function knows of other mappings."""
    names = {node.value for node in walk(body.function.node) if isinstance(node, cst.Name)}
    return not names.isdisjoint(_HANDLED)
