"""Flags that have one value wherever a function is traced: `if not trace:` never runs there.

Parameters with a default True or False learn from each call while tracing what they are given:
("flag", function, name). The path that none of these calls takes is put aside: it is walked as
plain Python, and only rules that look at one place see what is there.

A parameter that is None by default has a flag too, `cap is None`: false where all these calls fill
it. That they all leave it out does not make it true, as another caller may well fill it; but a rule
may ask whether any is seen to (`queries/optional.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.filling import still_free
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.roles import BOUNDARIES, pairs, static_names
from gotcha_lint.analysis.sites import Body, Flag, Told, Trace
from gotcha_lint.analysis.summary import IS_NONE
from gotcha_lint.analysis.syntax import dotted, parents
from gotcha_lint.analysis.values import UNKNOWN, FunctionId, Kind, Kwargs, Value, untraced
from gotcha_lint.facts.flags import FLAGS

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_UNREAD = frozenset({"custom", "module"})  # who calls these, and with what, is not seen
_ASKS = ("in_jit", "under_jit", "under_a_jit", "is_tracing")  # ends of names of functions


# ---- what calls tell ---------------------------------------------------------------------------


def tell_flags(
    flow: Flow, node: cst.CSTNode, target: FunctionId, function: Value,
    args: tuple[Value, ...], kwargs: Kwargs, binds: bool = False,
) -> None:  # fmt: skip
    """Of a call while tracing; or of `partial(f, ...)`, which says nothing of those left out."""
    flags = flow.project.function(target).flags
    if not flags or _hands_on(flow, node, target):
        return
    starred = isinstance(node, cst.Call) and any(arg.star for arg in node.args)
    left = {p[0] for p in still_free(flow.project, target, function)}
    given = dict(pairs(flow, target, function, args, kwargs))
    for name, default in flags:
        param = name.removesuffix(IS_NONE)
        if param in given:
            if function.via:
                said = frozenset[Flag]({None})
            elif param != name:
                said = _said_none(flow, given[param], binds)
            else:
                said = _said(flow, node, name, given[name])
            flow.effect(("flag", target, name), said)
        elif param in left and (starred or not binds):
            flow.effect(("flag", target, name), frozenset({None if starred else default}))


def tell_held_flags(
    flow: Flow, node: cst.CSTNode, function: Value, args: tuple[Value, ...], kwargs: Kwargs
) -> None:
    """Of a call of a decorator's `inner(*args, **kwargs)`: told to the function that it holds."""
    for held in sorted(function.held):
        tell_flags(flow, node, held, function, args, kwargs)
    if function.held:
        return
    for target in function.targets:
        nested = flow.project.function(target).outer and target != flow.id
        for held in (flow.view.get(("closes", target)) or ()) if nested else ():
            tell_unread(flow, held)  # which of them this closure holds is not known


def tell_defaults(
    flow: Flow, target: FunctionId, function: Value, static: frozenset[str], role: str, known: bool
) -> None:
    """Of a function that is given to a transform: flags are left out, as they would be traced."""
    for one in (target, *sorted(function.held)):
        flags = flow.project.function(one).flags
        left = {p[0] for p in still_free(flow.project, one, function)} if flags else ()
        for name, default in flags:
            if (param := name.removesuffix(IS_NONE)) in left:
                if param != name and role not in BOUNDARIES:
                    continue  # of a loop's body, say: it is None unless the loop fills it
                unread = param in static or role in _UNREAD or not known or param != name
                flow.effect(("flag", one, name), frozenset({None if unread else default}))


def tell_unread(flow: Flow, target: FunctionId) -> None:
    """Of a function that a stranger may call."""
    for name, _ in flow.project.function(target).flags:
        flow.effect(("flag", target, name), frozenset({None}))


def _said(flow: Flow, node: cst.CSTNode, name: str, value: Value) -> frozenset[Flag]:
    if isinstance(value.literal, bool):
        return frozenset({value.literal})
    for arg in node.args if isinstance(node, cst.Call) else ():
        if arg.keyword is not None and arg.keyword.value == name:
            truth = True if _asks(arg.value) else _where_defined(flow.function, dotted(arg.value))
            if truth is not None:
                return frozenset({truth})
    own = flow.view.get(("flag", flow.id, value.param)) if value.param else None
    return own or frozenset({None})


def _where_defined(function: Function, name: str | None) -> Flag:
    """The truth of a name from around, where a function is defined: `if fast: vmap(lambda ...)`."""
    if name not in function.captured:
        return None
    outer, node = function.parent, function.node
    while outer is not None and name not in outer.scope.bound:
        outer = outer.parent
    if outer is None or len(outer.scope.bound[name]) != 1:
        return None
    above = parents(outer.node)
    while (part := above.get(id(node))) is not None:
        if isinstance(part, cst.If) and dotted(part.test) == name:
            return node is part.body
        node = part
    return None


def _said_none(flow: Flow, value: Value, binds: bool) -> frozenset[Flag]:
    """Whether it is None; what is of unknown kind is there, as far as is seen.

    An option that `partial` hands on from the caller may have been left out there.
    """
    if value.kind is Kind.NONE:
        return frozenset({True})
    own = value.param + IS_NONE
    if any(own == name for name, _ in flow.project.function(flow.id).flags):
        handed_on = frozenset[Flag]({None, True} if binds else {None})
        return flow.view.get(("flag", flow.id, own)) or handed_on
    return frozenset({None if value.maybe and value.kind is not Kind.UNKNOWN else False})


def _asks(node: cst.BaseExpression) -> bool:
    """`in_jit()`: true in all calls while tracing."""
    name = dotted(node.func) if isinstance(node, cst.Call) else None
    return name is not None and name.rpartition(".")[2].endswith(_ASKS)


def _hands_on(flow: Flow, node: cst.CSTNode, target: FunctionId) -> bool:
    """`fn(*args, **kwargs)` of a decorator: who calls it has told fn what is in these."""
    own = {p.name for p in flow.function.params if p.kind in ("star", "kwargs")}
    if not own or not isinstance(node, cst.Call):
        return False
    starred = all(arg.star and dotted(arg.value) in own for arg in node.args)
    return starred and target in (flow.view.get(("closes", flow.id)) or ())


# ---- what a function makes of it ---------------------------------------------------------------


def told_flags(flow: Flow) -> dict[str, frozenset[Flag]]:
    """What the calls while tracing say of each flag."""
    flags, trace = flow.project.function(flow.id).flags, flow.main.trace
    if not flags or trace is None or trace.soft:
        return {}
    told = {name: flow.view.get(("flag", flow.id, name)) for name, _ in flags}
    return {name: said for name, said in told.items() if said}


def known_flags(flow: Flow) -> dict[str, bool]:
    """The flags that all calls while tracing agree on; not all callers of modules are seen."""
    if flow.function.name == "__call__":
        return {}
    same = {name: next(iter(said)) for name, said in flow.main.said.items() if len(said) == 1}
    return {
        name: said
        for name, said in same.items()
        if said is not None and not (said and name.endswith(IS_NONE))
    }


def decided(flow: Flow, node: cst.BaseExpression) -> Flag:
    """The truth of a condition while tracing, where flags decide it."""
    if (read := _flag(node)) is not None:
        name, same = read
        if flow.state is None:
            return None
        # `nbrs = neighbors` is the parameter too, and one that was assigned again is not.
        param = flow.state.env.get(name.removesuffix(IS_NONE), UNKNOWN).param
        flag = param + IS_NONE if name.endswith(IS_NONE) else param
        return flow.flags[flag] is same if flag in flow.flags else None
    match node:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            truth = decided(flow, inner)
            return None if truth is None else not truth
        case cst.BooleanOperation(left=left, operator=operator, right=right):
            ending = isinstance(operator, cst.Or)
            both = decided(flow, left), decided(flow, right)
            return ending if ending in both else None if None in both else not ending
    return None


def choose(flow: Flow, condition: cst.BaseExpression, holds: bool) -> None:
    """On the path where the condition holds, or does not."""
    state, truth = flow.state, decided(flow, condition)
    if state is not None and not state.aside and truth is not None and truth is not holds:
        state.aside = True
        state.env = {name: untraced(value) for name, value in state.env.items()}
    take_side(flow)


def take_side(flow: Flow) -> None:
    """What is found from here on belongs to the traced function, or to what is put aside."""
    main = flow.main
    if flow.state is None or not flow.state.aside:
        flow.body, flow.staged = main, main.trace is not None and main.trace.staged
        return
    if main.aside is None:
        main.aside = Body(main.model, main.function, None, project=main.project, names=main.names)
    flow.body, flow.staged = main.aside, False


def unseen(told: Told, test: cst.CSTNode, holds: bool) -> bool:
    """No traced call is seen to make this condition so."""
    if (read := _flag(test)) is not None:
        name, same = read
        wanted = same is holds
        if wanted and name not in told and name + IS_NONE in told:  # `if cache:` of None
            name, wanted = name + IS_NONE, False
        # A training run is sure to set a flag of FLAGS.
        return name not in FLAGS and wanted not in told.get(name, {wanted})
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return unseen(told, inner, not holds)
        case cst.BooleanOperation(left=left, operator=operator, right=right):
            both = isinstance(operator, cst.And) == holds
            return both and (unseen(told, left, holds) or unseen(told, right, holds))
    return False


def _flag(test: cst.CSTNode) -> tuple[str, bool] | None:
    """The flag that `p`, `p is None` or `p is not None` reads, and the truth where it is true."""
    match test:
        case cst.Name(value=name):
            return name, True
        case cst.Comparison(
            left=cst.Name(value=name),
            comparisons=[
                cst.ComparisonTarget(cst.Is() | cst.IsNot() as operator, cst.Name(value="None"))
            ],
        ):
            return name + IS_NONE, isinstance(operator, cst.Is)
    return None


# Options that a project's own `jit` hands on: its callers say which arguments are static

_OPTIONS = frozenset({"static_argnums", "static_argnames", "donate_argnums", "donate_argnames"})


def kept(kwargs: Kwargs) -> tuple[tuple[str, Value], ...] | None:
    """The options in `partial(compiled, static_argnums=0)`, for the call to come."""
    return tuple((name, kwargs[name]) for name in sorted(_OPTIONS & kwargs.keys())) or None


def with_kept(function: Value, kwargs: Kwargs) -> Kwargs:
    """The options of a call, and those of the partial that is called."""
    if function.made != "partial" or not isinstance(function.literal, tuple):
        return kwargs
    return {**dict(function.literal), **kwargs}


def tell_options(flow: Flow, made: Value, function: Value) -> None:
    """Tells a function that a wrapper has jitted what its caller says of the arguments.

    `made` is what the wrapper gives for any function, `function` what it gives for this one.
    """
    if function.kind is not Kind.FUNCTION or flow.body.trace is not None:
        return
    asked = {via.site for via in made.via if via.options}
    for via in function.via:
        if via.site not in asked or not via.known or via.name not in BOUNDARIES:
            continue
        for target in function.targets:
            summary = flow.project.function(target)
            left = {p[0] for p in still_free(flow.project, target, function)}
            bound = {p[0] for p in summary.params} - left
            static = static_names(flow, target, function, via) | bound
            trace = Trace(
                roles=frozenset({v.name for v in function.via}),
                staged=True,
                chain=((via.site, f"{via.name} of {summary.name}"),),
                direct=True,
                static=static,
            )
            tell_defaults(flow, target, function, static, via.name, via.known)
            flow.effect(("traced", target), trace)
