"""The attributes of `self` that a method reads, and who else assigns them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import dotted, walk
from gotcha_lint.analysis.values import ClassId
from gotcha_lint.queries.stale import compiles_anew, is_set_up

# Attributes of these names say how to compile, and are set before anything is.
_SETTINGS = ("sharding", "shardings", "mesh", "spec", "specs", "config", "cfg", "dtype")
_HASHED = frozenset({"__hash__", "__eq__"})
_PYTREES = frozenset(
    [
        "flax.nnx.Module",
        "flax.nnx.Pytree",
        "equinox.Module",
        "flax.linen.Module",
        "haiku.Module",
        "flax.struct.PyTreeNode",
        "typing.NamedTuple",
        "enum.Enum",
    ]
)


def own_attributes(function: Function) -> Iterator[tuple[str, cst.Attribute]]:
    """Reads of `self.x` in a method (not calls of methods), functions nested in it included."""
    if not function.params or function.cls is None:
        return
    self_name = function.params[0].name
    nodes = list(walk(function.node))
    others = {id(n.func) for n in nodes if n.__class__ is cst.Call}  # type: ignore[attr-defined]
    others |= {id(n.target) for n in nodes if n.__class__ in _STORES}  # type: ignore[attr-defined]
    for node in nodes:
        if node.__class__ is cst.Attribute and id(node) not in others:
            base, attr = node.value, node.attr.value  # type: ignore[attr-defined]
            if base.__class__ is cst.Name and base.value == self_name:
                yield attr, node  # type: ignore[misc]


_STORES = (cst.AssignTarget, cst.AugAssign)


def _classes(body: Body) -> tuple[ClassId, ...]:
    assert body.function.cls is not None and body.project is not None
    return body.project.ancestors((body.model.path, body.function.cls.number))[0]


def hashed_by_identity(body: Body) -> bool:
    """A plain class: no pytree, no hash of its own."""
    if body.project is None or body.function.cls is None:
        return False
    own = _classes(body)
    methods = {m for cid in own for m in body.project.cls(cid).methods}
    registered = body.project.is_a(own[0], *_PYTREES) or body.project.decorators(own[0])
    return methods.isdisjoint(_HASHED) and not registered


def writers_of(body: Body, name: str) -> list[str]:
    """The functions that assign an attribute after set-up, and do not compile again."""
    found = sorted({w for cid in _classes(body) for w in body.stored.get((cid, name), ())})
    if body.function.name in found or body.function.cls is None or name.endswith(_SETTINGS):
        return []  # it assigns it itself: another pitfall
    methods = body.function.cls.methods
    return [
        w
        for w in found
        if not is_set_up(w)
        and not (w in methods and compiles_anew(methods[w]))
        and not (w in methods and _is_lazy(methods[w], name))
        and not (w.startswith("_") and _called_by_init(methods, w))
    ]


def _is_lazy(function: Function, name: str) -> bool:
    """It fills the attribute in the first time only: `if self.x is None`."""
    tests = (node.test for node in walk(function.node) if isinstance(node, cst.If))
    return any(
        isinstance(part, cst.Attribute) and part.attr.value == name
        for test in tests
        for part in walk(test)
        if "None" in {n.value for n in walk(test) if isinstance(n, cst.Name)}
    )


def _called_by_init(methods: dict[str, Function], name: str) -> bool:
    init = methods.get("__init__") or methods.get("__post_init__")
    if init is None:
        return False
    calls = (node for node in walk(init.node) if isinstance(node, cst.Call))
    return any(dotted(call.func) == f"{init.params[0].name}.{name}" for call in calls)
