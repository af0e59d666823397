"""The arguments of a jitted call as a Signature: what JAX looked the program up by."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from gotcha_sanitizer.hooks import internals
from gotcha_sanitizer.hooks.filtered import Filtered
from gotcha_sanitizer.hooks.marks import static
from gotcha_sanitizer.values.parts import Leaf, Mark, Signature

_MOST = 5000  # leaves of a call that are looked at


def signature(jax: Any, call: internals.Call) -> Signature:
    names, are_static = internals.static_names(call.info, len(call.args))
    leaves: dict[str, Leaf] = {}
    nodes: dict[str, str] = {}
    meta: dict[str, Mark] = {}
    statics: dict[str, Mark] = {}
    whole = True
    for name, value in [*zip(names, call.args, strict=False), *call.kwargs.items()]:
        if name in are_static:
            statics[name] = static(value)
        else:
            whole &= _tree(jax, name, value, leaves, nodes, meta)
    return Signature(
        call=(tuple(names[: len(call.args)]), tuple(sorted(call.kwargs))),
        leaves=leaves,
        nodes=nodes,
        meta=meta,
        statics=statics,
        context=internals.context(jax),
        options=internals.options(call.info),
        truncated=not whole,
    )


def filtered_signature(jax: Any, call: internals.Call, seen: Filtered) -> Signature:
    """Of a call through `equinox.filter_jit`: what is no array is static, wherever it stands."""
    leaves: dict[str, Leaf] = {}
    nodes: dict[str, str] = {}
    meta: dict[str, Mark] = {}
    statics: dict[str, Mark] = {}
    itself = {} if seen.is_static else {"self": seen.fun}
    whole = True
    for name, value in {**itself, **seen.args, **seen.kwargs}.items():
        whole &= _tree(jax, name, value, leaves, nodes, meta, statics)
    return Signature(
        call=(tuple(seen.args), tuple(sorted(seen.kwargs))),
        leaves=leaves,
        nodes=nodes,
        meta=meta,
        statics=statics,
        context=internals.context(jax),
        options=internals.options(call.info) | {"filtered": "by Equinox"},
        truncated=not whole,
    )


def _tree(
    jax: Any,
    name: str,
    value: Any,
    leaves: dict[str, Leaf],
    nodes: dict[str, str],
    meta: dict[str, Mark],
    others: dict[str, Mark] | None = None,
) -> bool:
    """Adds one argument; False where it had too many leaves to look at all.

    Leaves that are no arrays go into `others`, where that is given.
    """
    util = jax.tree_util
    flat, tree = util.tree_flatten_with_path(value, is_leaf=_is_none)  # its path, by name
    for path, x in flat[: _MOST - len(leaves)]:
        if x is None:
            nodes[name + util.keystr(path)] = "None"
        elif others is None or isinstance(x, (jax.Array, np.ndarray, np.generic)):
            leaves[name + util.keystr(path)] = leaf(jax, x)
        else:
            others[name + util.keystr(path)] = static(x)
    if len(flat) > _MOST:
        return False
    _containers(util, name, [path for path, _ in flat], tree, nodes, meta)
    return True


def _is_none(value: Any) -> bool:
    return value is None


def _containers(
    util: Any,
    name: str,
    paths: list[Any],
    tree: Any,
    nodes: dict[str, str],
    meta: dict[str, Mark],
) -> None:
    """Types and static data of the containers. A node's path is that of its first leaf, cut."""
    todo = [(tree, 0, 0, "")]
    while todo:
        node, first, depth, branch = todo.pop()
        data = node.node_data()
        if data is None:  # a leaf
            continue
        at = name + (util.keystr(paths[first][:depth]) if node.num_leaves else branch)
        kind, static_data = data
        nodes[at] = kind.__name__
        if static_data is not None and not _is_structure(kind):
            meta[at] = static(static_data)
        for number, child in enumerate(node.children()):
            todo.append((child, first, depth + 1, f"{branch}[{number}]"))
            first += child.num_leaves


def _is_structure(kind: type) -> bool:
    """Containers whose static data is their keys or fields: the paths of the leaves show those."""
    return issubclass(kind, (dict, list, tuple))


def leaf(jax: Any, x: Any) -> Leaf:
    kind = type(x)
    try:
        aval = jax.typeof(x)
    except Exception:  # JAX will refuse the argument with its own message
        return Leaf((), "?", kind=kind.__name__)
    shown = {"ndarray": "numpy"}.get(kind.__name__, kind.__name__)
    if kind in (bool, int, float, complex):
        shown = "scalar"
    elif isinstance(x, jax.core.Tracer):
        shown = "tracer"
    elif kind is internals.array_class(jax):
        shown = "array"
    placed = shown == "array"
    dtype, given = _name(getattr(aval, "dtype", kind.__name__)), ""
    if shown == "numpy" and (own := _name(x.dtype)) != dtype:
        given = own
    return Leaf(
        tuple(getattr(aval, "shape", ())),
        dtype,
        bool(getattr(aval, "weak_type", False)),
        _name(x.sharding) if placed else "",
        bool(getattr(x, "committed", False)) if placed else False,
        shown,
        given,
    )


@lru_cache(maxsize=256)
def _name(thing: Any) -> str:
    """Of a dtype or a sharding, which JAX hashes and compares itself: there are few of them."""
    return str(thing)
