from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body, Call, Operate
from gotcha_lint.analysis.syntax import children, dotted, walk
from gotcha_lint.queries.classes import named_types
from gotcha_lint.queries.stale import names_read
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
        if leaf and tree and not _handles(site) and not _only_plain_dicts(site, tree):
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


_PLAIN = frozenset({"to_pure_dict", "to_state_dict", "unfreeze", "msgpack_restore"})
_SAME_SHAPE = frozenset({"map", "tree_map"})  # of their second argument


def _only_plain_dicts(body: Body, param: str) -> bool:
    """Every call of a nested function, which nobody else can call, fills the parameter with one."""
    function, owner = body.function, body.function.parent
    place = next((n for n, p in enumerate(function.params) if p.name == param), -1)
    if owner is None or owner.number == 0 or function.is_method or _escapes(owner, function):
        return False
    given = [*_calls(body, function.name)]
    return bool(given) and all(
        len(call.args) > place
        and not any(arg.star or arg.keyword for arg in call.args[: place + 1])
        and _is_plain(around, call.args[place].value, set())
        for around, call in given
    )


def _escapes(owner: Function, function: Function) -> bool:
    """It is returned, or given to something, and not only called."""
    known = {id(node.func) for node in walk(owner.node) if isinstance(node, cst.Call)}
    known |= {id(node) for node in children(function.node)}  # its own name
    reads = names_read(owner.node)
    return any(read.value == function.name and id(read) not in known for read in reads)


def _calls(body: Body, name: str) -> Iterator[tuple[Function, cst.Call]]:
    """The calls outside of it, with the functions that they stand in."""
    for around in body.model.functions:
        if around is body.function or isinstance(around.node, cst.Lambda):
            continue
        for node in walk(around.node, into_functions=False):
            if isinstance(node, cst.Call) and dotted(node.func) == name:
                yield around, node


def _is_plain(function: Function, node: cst.CSTNode, seen: set[str]) -> bool:
    match node:
        case cst.Name(value=name):
            values = [] if name in seen else [*_assigned(function, name)]
            bound = len(function.scope.bound.get(name, ()))
            known = len(values) == bound and bool(values)
            return name in seen or (
                known and all(_is_plain(function, value, seen | {name}) for value in values)
            )
        case cst.Subscript(value=inner):  # a part of it
            return _is_plain(function, inner, seen)
        case cst.Call(func=func, args=args):
            word = (dotted(func) or "").rpartition(".")[2]
            if word in _SAME_SHAPE and len(args) > 1:
                return _is_plain(function, args[1].value, seen)
            if word == "restore":  # built like the template
                return any(
                    arg.keyword and arg.keyword.value == "item"
                    for arg in walk(node)
                    if isinstance(arg, cst.Arg) and _is_plain(function, arg.value, seen)
                )
            return word in _PLAIN
    return False


def _assigned(function: Function, name: str) -> Iterator[cst.CSTNode]:
    for node in walk(function.node, into_functions=False):
        if isinstance(node, cst.Assign):
            for target in node.targets:
                if dotted(target.target) == name:
                    yield node.value
