"""Uses of names that a library no longer has, as they are written: before aliases are followed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.model import Class, Function, Imported, Scope
from gotcha_lint.analysis.sites import Body, Store
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.facts.removed import REMOVED, Removed, row_of
from gotcha_lint.rule import Change, Rewrite, module_alias


class Use(NamedTuple):
    node: cst.CSTNode  # what is looked at, to see how it is guarded
    shown: cst.CSTNode
    name: str
    row: Removed


def uses_of(body: Body, table: Mapping[str, Removed] = REMOVED) -> Iterator[Use]:
    """All uses in the file of this body of names in the table."""
    for node, scope in body.model.watched:
        if isinstance(node, cst.Attribute):
            name = _raw(body, node, scope, table)
            if name in table:
                yield Use(node, node, name, table[name])
            continue
        for alias, name in _imported(node, table):
            found = row_of(name, table)
            if found is not None:
                yield Use(node, alias, found[0], found[1])


def _imported(
    node: cst.Import | cst.ImportFrom, table: Mapping[str, Removed]
) -> Iterator[tuple[cst.CSTNode, str]]:
    if isinstance(node, cst.ImportFrom):
        module = dotted(node.module)
        if node.relative or module is None:
            return
        if row_of(module, table) or isinstance(node.names, cst.ImportStar):
            yield node, module
        else:
            yield from ((alias, f"{module}.{dotted(alias.name)}") for alias in node.names)
    else:
        yield from ((alias, dotted(alias.name) or "") for alias in node.names)


def _raw(body: Body, node: cst.Attribute, scope: Scope, table: Mapping[str, Removed]) -> str:
    """The qualified name as it is written; empty where its import is reported already."""
    return qualified(body, dotted(node) or "", scope, table)


def qualified(
    body: Body, written: str, scope: Scope, table: Mapping[str, Removed] = REMOVED
) -> str:
    """What a dotted name stands for; empty where it is not sure, or its import is in the table."""
    head, _, tail = written.partition(".")
    bindings = lookup(scope, head) or _starred(body, head)
    how = bindings[0] if bindings else ""
    same = all(isinstance(one, Imported) and one == how for one in bindings)
    return f"{how}.{tail}" if same and how and row_of(str(how), table) is None else ""


def _starred(body: Body, name: str) -> list[Function | Class | str]:
    """`jax`, where `from .utils import *` brings it along."""
    for star in body.model.stars:
        symbol = body.project.starred(star, name, body.model.path) if body.project else None
        if symbol is not None:
            return [Imported(symbol.name)] if symbol.kind == "external" else []
    return []


def is_set(body: Body, node: cst.CSTNode) -> bool:
    """The file puts the name there itself: `jax.tree_map = jax.tree.map`."""
    return any(store.node is node for store in body.of(Store))


def renamed(body: Body, use: Use) -> Rewrite | None:
    """The new name put in, where it takes the same arguments."""
    row = use.row
    if not row.rename:
        return None
    title = f"use `{row.instead}`"
    if isinstance(use.node, cst.Attribute):
        parent, _, last = row.instead.rpartition(".")
        if parent == use.name.rpartition(".")[0]:
            return Rewrite(title, (Change(use.node.attr, last),))
        root = row.instead.partition(".")[0]
        text = module_alias(body, root) + row.instead[len(root) :]
        return Rewrite(
            title, (Change(use.node, text),), imports=(root,) if text == row.instead else ()
        )
    if use.name == "jax.config.config" and isinstance(use.node, cst.ImportFrom):
        return Rewrite(title, (Change(use.node.module, "jax"),)) if use.node.module else None
    return None
