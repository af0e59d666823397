"""What a function that is made again and again takes along of the data of one turn."""

from __future__ import annotations

import re

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.syntax import children, holds, walk
from gotcha_lint.analysis.values import CALLABLE, UNKNOWN, Kind, Value
from gotcha_lint.facts.updates import STRUCTS
from gotcha_lint.queries.places import assigned_each_time, long_loops
from gotcha_lint.queries.sizes import size_names

# Names of sizes and settings, as a search for the best ones goes over them.
_SIZE = re.compile(
    r"^(num|n)_|_(size|dim|len|blocks|heads|layers)$|^(block|tile)"
    r"|(^|_)(config|cfg|settings|options|hparams|hyperparams|hps)$"
)
_PROGRAMS = frozenset({Kind.FUNCTION, Kind.OBJECT, Kind.CLASS, Kind.NAMED})
_DATA = frozenset({Kind.ARRAY, Kind.HOST, Kind.KEY, Kind.TREE})
# A NamedTuple of these names chooses the program.
_SETTINGS = ("config", "cfg", "settings", "options", "args", "spec", "params", "module", "model")


def is_new(call: Call, function: Value) -> bool:
    """A function that is another object each time this call is reached."""
    if function.via or function.made == "partial":
        return site_here(call, function)
    return function.made in ("lambda", "def") and born_here(call, function)


def born_here(call: Call, function: Value) -> bool:
    """The `def` or lambda is inside the loop, or inside the function that is called again."""
    model = call.body.model
    if len(function.targets) != 1:
        return False
    path, number = next(iter(function.targets))
    if path != model.path or function.via:
        return False
    return _is_inside(call, model.functions[number].node)


def site_here(call: Call, function: Value) -> bool:
    model = call.body.model
    if function.site is None or function.site[0] != model.path or function.site[1] < 0:
        return False
    return _is_inside(call, model.node(function.site[1]))


def _is_inside(call: Call, node: cst.CSTNode) -> bool:
    loops = long_loops(call)
    whole = loops[-1].node if loops else call.body.function.node
    return node is not whole and holds(whole, node)


def data_of(call: Call, function: Value, made: str) -> tuple[str, ...] | None:
    """The names of one turn's data that it takes along; None where it takes a function along.

    Around another function, model or configuration each turn, another program is right.
    """
    changing = changing_here(call)
    if _options(call) & changing:
        return None
    if made in ("lambda", "def"):
        return _captured(call, function, changing)
    node = None if call.decorator else call.arg_node(0, "fun", "f")
    if node is None:
        path, number = next(iter(function.targets), ("", 0))
        known = path == call.body.model.path
        return _taken(call, call.body.model.functions[number], changing) if known else None
    names, lambdas = names_and_lambdas(written_out(call, node) if made == "partial" else node)
    if made == "method":
        return None if names & changing and long_loops(call) else ()
    found: list[str] = []
    for node in lambdas:
        inner = _taken(call, call.body.model.by_node[id(node)], changing)
        if inner is None:
            return None
        found.extend(inner)
    for name in sorted(names):
        value = call.body.names.get(name, UNKNOWN)
        inner = _captured(call, value, changing) if value.kind is Kind.FUNCTION else None
        if name not in changing and inner is None and not _is_local(call, value):
            continue
        if value.kind is Kind.STATIC or is_data(call, value):
            inner = (name,)
        if inner is None:
            return None
        found.extend(inner)
    return tuple(found)


def written_out(call: Call, node: cst.BaseExpression) -> cst.CSTNode:
    """The partial itself where it has a name."""
    name = node.value if isinstance(node, cst.Name) else ""
    sources = [bind.source for bind in call.body.of(Bind) if bind.name == name]
    return sources[0] if len(sources) == 1 and sources[0] is not None else node


def changing_here(call: Call) -> frozenset[str]:
    """What is new when the call is reached again; a method is mostly called on one object."""
    changing, function = assigned_each_time(call), call.body.function
    if function.is_method and function.params and not long_loops(call):
        return changing - {function.self_name}
    return changing


def is_data(call: Call, value: Value) -> bool:
    """Arrays, or a container of them; no function, model or configuration."""
    if value.kind in (Kind.TUPLE, Kind.LIST):
        kinds = {item.kind for item in value.items}
        return bool(kinds & _DATA) and not kinds & _PROGRAMS
    project = call.body.project
    if value.kind is Kind.OBJECT and value.cls is not None and project is not None:
        if project.cls(value.cls).name.lower().endswith(_SETTINGS):
            return False
        return project.is_a(value.cls, *STRUCTS) or not STRUCTS.isdisjoint(
            project.decorators(value.cls)
        )
    return value.kind in _DATA


def _options(call: Call) -> set[str]:
    """The names in the other arguments of jit: with other shardings another program is right."""
    node = call.node.func if call.decorator else call.node  # `@partial(jax.jit, ...)`
    rest = node.args[0 if call.decorator else 1 :] if isinstance(node, cst.Call) else ()
    return set().union(
        *(
            names_and_lambdas(arg.value)[0]
            for arg in rest
            if arg.keyword is None or arg.keyword.value not in ("fun", "f")
        )
    )


def names_and_lambdas(node: cst.CSTNode) -> tuple[set[str], list[cst.Lambda]]:
    """The names that an expression reads itself, and the lambdas in it."""
    names: set[str] = set()
    lambdas: list[cst.Lambda] = []
    stack = [node]
    while stack:
        match current := stack.pop():
            case cst.Name(value=name):
                names.add(name)
            case cst.Arg(value=value) | cst.Attribute(value=value):
                stack.append(value)
            case cst.Lambda():
                lambdas.append(current)
            case _:
                stack.extend(children(current))
    return names, lambdas


def _is_local(call: Call, function: Value) -> bool:
    made = function.made in ("lambda", "def", "transform")
    return made and born_here(call, function._replace(via=()))


def _captured(
    call: Call, function: Value, changing: frozenset[str], seen: set[str] | None = None
) -> tuple[str, ...] | None:
    """What a function defined here captures, also under `vmap`; None for another function."""
    if not _is_local(call, function):
        return None
    inner = call.body.model.functions[next(iter(function.targets))[1]]
    return _taken(call, inner, changing, seen)


def _taken(
    call: Call, inner: object, changing: frozenset[str], seen: set[str] | None = None
) -> tuple[str, ...] | None:
    """The changing names that a function captures; None if one of them is a function or a model.

    What it captures through a function defined here counts as well; `seen` are those looked at.
    """
    assert isinstance(inner, Function)
    seen = set() if seen is None else seen
    found: list[str] = []
    sizes = size_names(call.body.project, inner) if call.body.project else set[str]()
    tried = False
    for name in inner.captured:
        value = call.body.names.get(name, UNKNOWN)
        local = value.kind is Kind.FUNCTION and _is_local(call, value)
        if name == inner.name or name in seen or not (local or name in changing):
            continue
        if _SIZE.search(name) or name in sizes or value.of == "str":
            tried = True
        elif local:
            seen.add(name)
            nested = _captured(call, value, changing, seen)
            if nested is None:
                return None
            found.extend(nested)
        elif _is_called(inner.node, name) or _is_program(call, value):
            return None
        else:
            found.append(name)
    if tried and not found:
        return None  # settings alone: each is a program of its own, on purpose
    return tuple(dict.fromkeys(found))


def _is_program(call: Call, value: Value) -> bool:
    """A function, a model or a configuration, as far as it is known."""
    return value.of == CALLABLE or (value.kind in _PROGRAMS and not is_data(call, value))


def _is_called(node: cst.CSTNode, name: str) -> bool:
    """The name is called, or a method of it: it is a function or a model, not data."""
    for part in walk(node):
        if isinstance(part, cst.Call):
            func = part.func
            while isinstance(func, cst.Attribute):
                func = func.value
            if isinstance(func, cst.Name) and func.value == name:
                return True
    return False
