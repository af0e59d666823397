from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import returned
from gotcha_lint.analysis.sites import Bind, Body, Call, Store
from gotcha_lint.analysis.syntax import dotted, names_in
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.nnx import MODULE, is_module
from gotcha_lint.queries.returned import function_of, resolved
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, module_alias

_SINCE, _NEEDS = (0, 12), (0, 7)  # of Flax, and the oldest JAX that it runs on
_GROW = ("append", "insert")
_WRAPPERS = {"list": "List", "dict": "Dict"}
_DATA = frozenset({"flax.nnx.Param", "flax.nnx.Variable"})


class NnxPlainList(Rule):
    """Keeps modules in a plain list, dict or tuple.

    ## What happens
    Since Flax 0.12 a plain container is static data and must not hold arrays: `ValueError: Found
    data on value of type '<class 'list'>' assigned to static attribute 'layers' of Pytree type`. A
    list that is filled later fails at the end of `__init__`.

    ## Instead
    `nnx.List([...])` and `nnx.Dict({...})`, which are part of the model; for others
    `nnx.data(...)`.

    ## Not reported
    Attributes that the class annotates (`layers: list = nnx.data()`), classes with `pytree=False`,
    containers of functions, numbers and names. Code that asks for `nnx.List` or for a version, or
    is for an older Flax (`target-flax`).
    """

    severity = "error"
    roots = frozenset({"nnx"})
    examples = (
        Example(
            bad="""
                from flax import nnx


                class Model(nnx.Module):
                    def __init__(self, rngs):
                        self.layers = [nnx.Linear(3, 3, rngs=rngs)]  # ! nnx-plain-list


                model = Model(nnx.Rngs(0))
            """,
            good="""
                from flax import nnx


                class Model(nnx.Module):
                    def __init__(self, rngs):
                        self.layers = nnx.List([nnx.Linear(3, 3, rngs=rngs)])


                model = Model(nnx.Rngs(0))
            """,
            raises="Found data on value of type",
        ),
    )

    def check(self, site: Store) -> Iterator[Report]:
        new = self.options.has_reached("flax", _SINCE) and self.options.has_reached("jax", _NEEDS)
        if not new or not isinstance(site.node, cst.Attribute):
            return
        name = _attribute(site)
        given = _assigned(site)
        if not name or given is None or _wrapped(site) or expected_to_fail(site.body, site.node):
            return
        display = _display(site.body, given)
        kind = _kind(display)
        if kind and display is not None and not (_holds(site.body, display) or _grown(site, given)):
            return
        kind = kind or _made(site, given)
        if not kind:
            return
        yield Report(
            site.node,
            f"`{name}` is a plain {kind} that holds modules or arrays: Flax takes it for static "
            f"data and raises; use `nnx.{_WRAPPERS.get(kind, 'data')}`",
            _fix(site.body, given, kind),
        )


def _made(site: Store, given: cst.BaseExpression) -> str:
    """`self.layers = tower(sizes, rngs)`: what a function of the project gives."""
    call, value = site.body.call_of(given), site.value
    function = function_of(site.body, call.callee) if call is not None else None
    if call is None or function is None or not _is_own(call) or value.maybe:
        return ""
    held = value.items if value.kind in (Kind.TUPLE, Kind.LIST) else ()
    if not any(_is_layer(site.body, item) for item in held if not item.maybe):
        return ""
    kinds = {_kind(resolved(function, one)) for one in returned(function)}
    return kinds.pop() if len(kinds) == 1 else ""


def _is_own(call: Call) -> bool:
    return call.callee.kind is Kind.FUNCTION and len(call.callee.targets) == 1


def _is_layer(body: Body, value: Value) -> bool:
    """A module of nnx: linen's are of the same kind, where a file knows them."""
    linen = any("linen" in name for name in body.model.imports)
    layer = value.of == "flax.module" and not linen
    return layer or value.of in _DATA or is_module(body.project, value)


def _attribute(site: Store) -> str:
    """`layers` of `self.layers = ...` in a class of nnx, where nothing is said of it."""
    function, project = site.body.function, site.body.project
    own, cls = function.self_name, function.cls
    target = site.node
    if not own or cls is None or project is None or not isinstance(target, cst.Attribute):
        return ""
    cid = (site.body.model.path, cls.number)
    name = target.attr.value
    if dotted(target.value) != own or not project.is_a(cid, MODULE) or cls.node.keywords:
        return ""
    if any("hasattr" in names_in(g.test) or _asks_version(g.test) for g in site.at.guards):
        return ""
    classes = project.ancestors(cid)[0]
    here = [site.body.model.classes[number] for path, number in classes if path == cid[0]]
    told = any(name in one.fields for one in here) or len(here) < len(classes)
    return "" if told or project.decorators(cid) else name


def _asks_version(test: cst.CSTNode) -> bool:
    return any("version" in word.lower() for word in names_in(test))


def _assigned(site: Store) -> cst.BaseExpression | None:
    match site.at.statement:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[target], value=value)]):
            return value if target.target is site.node else None
    return None


def _wrapped(site: Store) -> bool:
    """`self.layers = nnx.data(self.layers)` after it, or `nnx.data(None)` before."""
    same = [s for s in site.body.of(Store) if dotted(s.node) == dotted(site.node)]
    calls = [given for store in same if isinstance(given := _assigned(store), cst.Call)]
    made = [site.body.call_of(given) for given in calls]
    return not all(call is not None and _is_own(call) for call in made)


def _display(body: Body, given: cst.BaseExpression) -> cst.BaseExpression | None:
    """The list as it is written, also under a name that is bound once."""
    if isinstance(given, cst.Name):
        sources = [bind.source for bind in body.of(Bind) if bind.name == given.value]
        source = sources[0] if len(sources) == 1 else None
        return source if isinstance(source, cst.BaseExpression) else None
    return given


def _kind(display: cst.BaseExpression | None) -> str:
    match display:
        case cst.List() | cst.ListComp():
            return "list"
        case cst.Dict() | cst.DictComp():
            return "dict"
        case cst.Tuple():
            return "tuple"
    return ""


def _holds(body: Body, display: cst.BaseExpression) -> bool:
    """One of its own elements is a module, a variable or an array."""
    match display:
        case cst.List(elements=elements) | cst.Tuple(elements=elements):
            values = [e.value for e in elements if isinstance(e, cst.Element)]
        case cst.Dict(elements=elements):
            values = [e.value for e in elements if isinstance(e, cst.DictElement)]
        case cst.ListComp(elt=elt):
            values = [elt]
        case cst.DictComp(value=value):
            values = [value]
        case _:
            values = []
    return any(_is_data(body.call_of(value)) for value in values)


def _is_data(call: Call | None) -> bool:
    """`nnx.Linear(...)`, `Block(...)`, `nnx.Param(...)`, `jnp.zeros(...)`."""
    if call is None or call.result.maybe:
        return False
    if _is_own(call):
        return _is_layer(call.body, call.result)
    head, _, last = call.name.rpartition(".")
    layer = head == "flax.nnx" and last[:1].isupper() and call.result.of == "flax.module"
    array = call.result.kind is Kind.ARRAY and call.name.startswith("jax.numpy.")
    return layer or array or call.result.of in _DATA or is_module(call.body.project, call.result)


def _grown(site: Store, given: cst.BaseExpression) -> bool:
    """`self.layers.append(nnx.Linear(...))` after `self.layers = []`, or before under a name."""
    own = {dotted(site.node), dotted(given)} - {None}
    for call in site.body.of(Call):
        func = call.node.func
        if not isinstance(func, cst.Attribute) or func.attr.value not in _GROW:
            continue
        if dotted(func.value) in own and _is_data(site.body.call_of(call.node.args[-1].value)):
            return True
    return _filled(site, own)


def _filled(site: Store, own: set[str | None]) -> bool:
    """`self.heads["a"] = nnx.Linear(...)` after `self.heads = {}`."""
    for store in site.body.of(Store):
        match store.at.statement:
            case cst.SimpleStatementLine(body=[cst.Assign(value=value)]):
                target = store.node
                inside = isinstance(target, cst.Subscript) and dotted(target.value) in own
                if inside and _is_data(site.body.call_of(value)):
                    return True
    return False


def _fix(body: Body, given: cst.BaseExpression, kind: str) -> Rewrite | None:
    nnx, wrapper = module_alias(body, "flax.nnx"), _WRAPPERS.get(kind)
    if wrapper is None or nnx == "flax.nnx":
        return None
    title = f"make it an `nnx.{wrapper}`"
    return Rewrite(title, (Change(given, before=f"{nnx}.{wrapper}(", after=")"),))
