"""The attributes of `self` that a method reads, and who else assigns them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.resets import compiles_anew
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted, walk
from gotcha_lint.analysis.values import ClassId
from gotcha_lint.queries.cared import keeps_structure, throws_away
from gotcha_lint.queries.made_after import makes_them_after
from gotcha_lint.queries.stale import is_set_up

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
    self_name = function.self_name
    nodes = list(walk(function.node))
    others = {id(n.func) for n in nodes if n.__class__ is cst.Call}  # type: ignore[attr-defined]
    others |= {id(n.target) for n in nodes if n.__class__ in _STORES}  # type: ignore[attr-defined]
    others |= {id(n.value) for n in nodes if _stays(n)}  # type: ignore[attr-defined]
    others |= {id(_asked(n)) for n in nodes if isinstance(n, cst.If) and _refuses(n)}
    for node in nodes:
        if node.__class__ is cst.Attribute and id(node) not in others:
            base, attr = node.value, node.attr.value  # type: ignore[attr-defined]
            if base.__class__ is cst.Name and base.value == self_name:
                yield attr, node  # type: ignore[misc]


def _refuses(node: cst.If) -> bool:
    """`if not self.trained: raise ...`: a trace that fails is not kept."""
    other = node.orelse.body if isinstance(node.orelse, cst.Else) else None
    return any(isinstance(last, cst.Raise) for last in map(_last, (node.body, other)))


def _last(suite: cst.BaseSuite | None) -> cst.CSTNode | None:
    line = suite.body[-1] if suite is not None and suite.body else None
    return line.body[-1] if isinstance(line, cst.SimpleStatementLine) else line


def _asked(node: cst.If) -> cst.CSTNode:
    return node.test.expression if isinstance(node.test, cst.UnaryOperation) else node.test


def _stays(node: cst.CSTNode) -> bool:
    """`self.state.apply_fn`: a train state that replaces another keeps its functions."""
    return isinstance(node, cst.Attribute) and node.attr.value in _FUNCTIONS_OF_STATES


_FUNCTIONS_OF_STATES = ("apply_fn", "tx")
_STORES = (cst.AssignTarget, cst.AugAssign)


def with_helpers(function: Function) -> dict[str, Function]:
    """A method and the plain methods of its class that it uses, by name."""
    methods = function.cls.methods if function.cls is not None else {}
    found, waiting = {function.name: function}, [function]
    while waiting:
        for name in sorted(_own_names(waiting.pop()) & methods.keys() - found.keys()):
            node = methods[name].node
            if isinstance(node, cst.FunctionDef) and not node.decorators:
                found[name] = methods[name]
                waiting.append(methods[name])
    return found


def _own_names(method: Function) -> set[str]:
    return {
        node.attr.value
        for node in walk(method.node)
        if isinstance(node, cst.Attribute)
        and isinstance(node.value, cst.Name)
        and method.params
        and node.value.value == method.self_name
    }


def handed_over(body: Body) -> Iterator[tuple[str, cst.CSTNode]]:
    """The attributes that other functions read of a static `self`, and the call that gives it."""
    own, read = body.function.self_name, body.usage.read
    for call in body.of(Call):
        if any(dotted(arg.value) == own for arg in call.node.args):
            for target in sorted(call.callee.targets):
                for attr in sorted(read.get(target, ())):
                    yield attr, call.node


def through_closure(function: Function) -> tuple[Function, list[tuple[str, cst.Attribute]]] | None:
    """The method in which a function is defined, and the `self.x` that it reads of its object.

    The method is part of the set-up: what it makes is made once.
    """
    method = function.parent
    if method is None or not method.is_method or not method.params or not _sets_up_once(method):
        return None
    names = _names_of_self(method) & function.captured.keys()
    nodes = list(walk(function.node))
    others = {id(n.func) for n in nodes if isinstance(n, cst.Call)}
    others |= {id(n.value) for n in nodes if isinstance(n, cst.Attribute) and _stays(n)}
    found = [
        (node.attr.value, node)
        for node in nodes
        if isinstance(node, cst.Attribute)
        and id(node) not in others
        and isinstance(node.value, cst.Name)
        and node.value.value in names
    ]
    return (method, found) if found else None


def _names_of_self(method: Function) -> set[str]:
    """`self`, and `trainer` after `trainer = self`."""
    own = method.self_name
    return {own} | {
        name.value
        for node in walk(method.node, into_functions=False)
        if isinstance(node, cst.Assign) and dotted(node.value) == own
        for target in node.targets
        for name in [target.target]
        if isinstance(name, cst.Name)
    }


def _sets_up_once(method: Function) -> bool:
    """`__init__`, or a method that nothing but `__init__` calls."""
    assert method.cls is not None
    methods = method.cls.methods
    if method.name in _FIRST:
        return True
    callers = {n for n, other in methods.items() if method.name in _own_names(other)}
    return bool(callers) and callers <= set(_FIRST)


_FIRST = ("__init__", "__post_init__")


def _classes(body: Body, method: Function | None = None) -> tuple[ClassId, ...]:
    cls = (method or body.function).cls
    assert cls is not None and body.project is not None
    return body.project.ancestors((body.model.path, cls.number))[0]


def hashed_by_identity(body: Body, method: Function | None = None) -> bool:
    """A plain class: no pytree, no hash of its own."""
    if body.project is None or (method or body.function).cls is None:
        return False
    own = _classes(body, method)
    methods = {m for cid in own for m in body.project.cls(cid).methods}
    registered = body.project.is_a(own[0], *_PYTREES) or body.project.decorators(own[0])
    return methods.isdisjoint(_HASHED) and not registered


def writers_of(body: Body, name: str, method: Function | None = None) -> list[str]:
    """The functions that assign an attribute after set-up, and do not compile again."""
    function = method or body.function
    own = _classes(body, method)
    found = sorted({w for cid in own for w in body.usage.stored.get((cid, name), ())})
    if body.function.name in found or function.cls is None or name.endswith(_SETTINGS):
        return []  # it assigns it itself: another pitfall
    methods = function.cls.methods
    return [
        w
        for w in found
        if not is_set_up(w)
        and not (w in methods and _takes_care(body, methods[w], name))
        and not (w.startswith("_") and _called_by_init(methods, w))
    ]


def _takes_care(body: Body, writer: Function, name: str) -> bool:
    return (
        compiles_anew(writer)
        or makes_them_after(body, writer, name)
        or _is_lazy(writer, name)
        or throws_away(body, writer, name)
        or keeps_structure(writer, name)
    )


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
    return any(dotted(call.func) == f"{init.self_name}.{name}" for call in calls)
