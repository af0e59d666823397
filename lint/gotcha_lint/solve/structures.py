"""The structure of an argument, as JAX's cache key sees it: its nodes, and their leaves' types."""

from __future__ import annotations

from typing import Any

from gotcha_lint.domain.sites import Origin
from gotcha_lint.interpret.leaves import Leaf, Leaves


def kinds(leaf: Leaf) -> dict[str, Origin | None]:
    """Alternatives of a node's structure; a growing list and its first state count once."""
    found = dict(leaf.kinds)
    if {"FrozenDict", "OrderedDict", "dict"} & set(found):  # keys not known: nothing to compare
        found = {kind: at for kind, at in found.items() if not kind.startswith("dict ")}
    for word in ("list", "tuple"):
        if f"{word} of many" in found:
            for kind in [kind for kind in found if kind.startswith(f"{word} of ")]:
                if kind != f"{word} of many":
                    del found[kind]
    return found


def signature(leaves: Leaves) -> Any:
    """The abstract key of a call, for counting."""
    return tuple(
        sorted(
            (
                path,
                frozenset(leaf.kinds),
                frozenset(leaf.dtypes),
                frozenset(leaf.weaks),
                tuple(leaf.sizes),
            )
            for path, leaf in leaves.items()
        )
    )
