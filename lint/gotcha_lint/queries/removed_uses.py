"""Uses of names that a library no longer has, as they are written: before aliases are followed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.model import Imported, Scope
from gotcha_lint.analysis.sites import Body, Store
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.facts.removed import REMOVED, Removed, removed


class Use(NamedTuple):
    node: cst.CSTNode  # what is looked at, to see how it is guarded
    shown: cst.CSTNode
    name: str
    row: Removed


def uses_of(body: Body) -> Iterator[Use]:
    """All uses in the file of this body."""
    for node, scope in body.model.watched:
        if isinstance(node, cst.Attribute):
            name = _raw(node, scope)
            if name in REMOVED:
                yield Use(node, node, name, REMOVED[name])
            continue
        for alias, name in _imported(node):
            found = removed(name)
            if found is not None:
                yield Use(node, alias, found[0], found[1])


def _imported(node: cst.Import | cst.ImportFrom) -> Iterator[tuple[cst.CSTNode, str]]:
    if isinstance(node, cst.ImportFrom):
        module = dotted(node.module)
        if node.relative or module is None:
            return
        if removed(module) or isinstance(node.names, cst.ImportStar):
            yield node, module
        else:
            yield from ((alias, f"{module}.{dotted(alias.name)}") for alias in node.names)
    else:
        yield from ((alias, dotted(alias.name) or "") for alias in node.names)


def _raw(node: cst.Attribute, scope: Scope) -> str:
    """The qualified name as it is written; empty where its import is reported already."""
    head, _, tail = (dotted(node) or "").partition(".")
    bindings = lookup(scope, head) or []
    how = bindings[0] if len(set(map(str, bindings))) == 1 else ""
    return f"{how}.{tail}" if isinstance(how, Imported) and removed(how) is None else ""


def is_set(body: Body, node: cst.CSTNode) -> bool:
    """The file puts the name there itself: `jax.tree_map = jax.tree.map`."""
    return any(store.node is node for store in body.of(Store))
