"""What a call tells the functions that it reaches: their arguments, and that they are traced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from gotcha_lint.analysis.closures import tell_held
from gotcha_lint.analysis.flags import tell_flags, tell_held_flags, tell_unread, unseen
from gotcha_lint.analysis.outcomes import outcome
from gotcha_lint.analysis.roles import boundary, left_out, pairs, static_names, unpacks
from gotcha_lint.analysis.sites import Trace
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.values import (
    CALLABLE,
    OPTIMIZER,
    STATIC_SELF,
    TRACED,
    TRACER,
    UNKNOWN,
    ClassId,
    FunctionId,
    Kind,
    Kwargs,
    Site,
    Value,
    Via,
)

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def apply_function(
    flow: Flow,
    node: cst.CSTNode,
    function: Value,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    starred: bool,
) -> Value:
    """A call of a function of the project, transformed or not."""
    via = boundary(function)
    if (flow.body.trace is not None and not flow.body.trace.soft) or function.via:
        tell_held_flags(flow, node, function, args, kwargs)
        for target in function.targets:
            tell_flags(flow, node, target, function, args, kwargs)
    for target in function.targets:
        if starred and not args and not kwargs:
            propagate(flow, node, target, function)
            continue
        tell(flow, node, target, function, args, kwargs, via)
        propagate(flow, node, target, function)
    if (
        function.self_
        and flow.state is not None
        and "self" in flow.owners
        and _reaches_self(flow, node, function, (*args, *kwargs.values()))
    ):
        # a method may change any attribute
        for name in [n for n in flow.state.env if n.startswith("self.")]:
            del flow.state.env[name]
    return outcome(flow, node, function, args, kwargs)


def _reaches_self(flow: Flow, node: cst.CSTNode, function: Value, given: tuple[Value, ...]) -> bool:
    """May this method change the object whose method we are in? An object of another class that
    does not come from it, and is not given it, now or when it was made, has no way to."""
    own, other = flow.function.cls, function.self_[0].cls
    name = dotted(node.func) if isinstance(node, cst.Call) else None
    if own is None or other is None or name is None or name.startswith("self."):
        return True
    mine, ancestors = (flow.model.path, own.number), flow.project.ancestors
    related = mine in ancestors(other)[0] or other in ancestors(mine)[0]
    return related or any(
        v.kind is Kind.FUNCTION or (v.kind is Kind.OBJECT and v.cls == mine)
        for v in (*given, *_made_with(flow, other))
    )


def _made_with(flow: Flow, cls: ClassId) -> list[Value]:
    """What objects of a class of the project were given when they were made, as far as is known."""
    maker = flow.project.method(cls, "__init__")
    if maker is None:
        keys = [("attr", cls, field) for field in flow.project.cls(cls).fields]
    else:
        keys = [("param", maker, param[0]) for param in flow.project.function(maker).params[1:]]
    return [value for key in keys if (value := flow.view.get(key)) is not None]


def tell(
    flow: Flow, node: cst.CSTNode, target: FunctionId, function: Value,
    args: tuple[Value, ...], kwargs: Kwargs, via: Via | None, binds: bool = False,
) -> None:  # fmt: skip
    """Tells a function what its parameters are given here; `binds`: for all calls to come."""
    through = {*function.via, *([via] if via else ())}
    static = frozenset().union(*(static_names(flow, target, function, v) for v in through))
    transformed = bool(function.via) or via is not None
    if function.via and {v.name for v in function.via} == {"vmap"}:
        maps = [left_out(flow, target, function, v) for v in function.via]
        static |= frozenset.intersection(*maps)
    given = pairs(flow, target, function, args, kwargs)
    if unpacks(node) and not transformed:
        for name in {p[0] for p in flow.project.function(target).params} - {n for n, _ in given}:
            flow.effect(("unsure", target, name), True)
    for name, value in given:
        if value.kind is Kind.UNKNOWN and not value.tracer:
            if not transformed and (flow.body.trace is not None or binds):
                flow.effect(("unsure", target, name), True)
            if value.of == CALLABLE:  # of which one function is known, from another caller, say
                flow.effect(("param", target, name), value)
            continue
        plain = value
        if value.param or value.ident or value.site:
            plain = value._replace(param="", ident=0, site=None)
        if plain.of and plain.kind in (Kind.ARRAY, Kind.UNKNOWN):
            plain = plain._replace(of="")  # another caller gives another array
        if isinstance(plain.literal, int | float):
            plain = plain._replace(literal=None)  # another caller has another number
        if transformed:
            as_is = name in static or (plain.kind is Kind.STATIC and not _stages(function, via))
            flow.effect(("tparam", target, name), plain if as_is else traced(plain))
        elif flow.body.trace is not None:
            flow.effect(("tparam", target, name), plain)
        else:
            flow.effect(("param", target, name), plain)
            if function.made == "partial" or not args:
                flow.effect(("tparam", target, name), plain)


def _stages(function: Value, via: Via | None) -> bool:
    """A number that it is given becomes a tracer; grad and vmap leave those not mapped."""
    through = (*function.via, *([via] if via else ()))
    if any(v.filtered for v in through):
        return False
    roles = {v.name for v in through}
    return bool(roles - {"grad", "value_and_grad", "vmap", "custom", "jvp", "inline", "checkpoint"})


def traced(value: Value) -> Value:
    """What a traced function sees of an argument."""
    match value.kind:
        case Kind.ARRAY | Kind.HOST:
            return TRACER
        case Kind.STATIC if value.of in ("int", "float", "bool"):
            return TRACER
        case Kind.OBJECT if isinstance(value.literal, frozenset):  # what optimizers are made of
            maybe = value.maybe and value.of == OPTIMIZER
            return value._replace(tracer=value.of != OPTIMIZER, maybe=maybe, param="")
        case Kind.KEY | Kind.TREE | Kind.OBJECT:
            return value._replace(tracer=True, maybe=False, param="", literal=None)
        case Kind.LIST if value.of == "host-tree":
            return Value(Kind.TREE, tracer=True)
        case Kind.TUPLE | Kind.LIST:
            return value._replace(items=tuple(map(traced, value.items)), tracer=True, param="")
        case Kind.UNKNOWN:
            return TRACED
    return value._replace(param="")


def propagate(flow: Flow, node: cst.CSTNode, target: FunctionId, function: Value) -> None:
    """A function called from a traced one is traced; one called in a loop is hot."""
    trace = flow.body.trace
    name = flow.project.function(target).name
    if trace is not None:
        if target != flow.id:
            flow.effect(("within", target), frozenset({flow.id}))
            tell_held(flow, target, function)
            note_kept(flow, node, target, function)
            soft = trace.soft or _overrides(flow, target, function) or _not_asked_for(flow)
            step = flow.site(node), name
            tell_traced(flow, target, trace, step, soft=soft, known=True)
        return
    if flow.state is not None and flow.state.aside:
        return  # nobody is seen to run it
    if _compiled_below(flow, function):
        return
    looped = any(not loop.short for loop in flow.loops)
    call = (flow.id, flow.site(node), looped, bool(function.via))
    flow.effect(("called", target), frozenset({call}))


def _not_asked_for(flow: Flow) -> bool:
    """A call that waits for an option which no traced call of this helper is seen to give."""
    told, trace = flow.main.said, flow.main.trace
    if not told or trace is None or trace.direct:
        return False
    return any(unseen(told, guard.test, guard.when) for guard in flow.guards)


def _compiled_below(flow: Flow, function: Value) -> bool:
    """`self.step()`, which a class below has decorated: there it is reached by `super().step()`."""
    base, own = function.self_[0] if function.self_ else UNKNOWN, flow.function.self_name
    if not own or base.param != own or base.cls is None or not function.targets:
        return False
    name = flow.project.function(min(function.targets)).name
    below = flow.project.overrides(base.cls, name)
    return any(flow.project.function(fid).decorated for fid in below)


def tell_traced(
    flow: Flow, target: FunctionId, trace: Trace, step: tuple[Site, str], **more: Any
) -> None:
    """Tells a function that a traced one calls it; what is static is told by its values.

    One that this trace has come through knows of it: recursion alone traces nothing.
    """
    past = trace.past | {flow.id}
    if target not in past:
        chain = (*trace.chain, step)
        told = trace._replace(chain=chain, past=past, direct=False, static=frozenset(), wrt=None)
        flow.effect(("traced", target), told._replace(**more))


def _overrides(flow: Flow, target: FunctionId, function: Value) -> bool:
    """A method of a class below that of the object: this call may never reach it."""
    cls = function.self_[0].cls if function.self_ else None
    own = flow.project.function(target).cls
    if cls is None or own is None or len(function.targets) == 1:
        return False
    return (target[0], own) not in flow.project.ancestors(cls)[0]


def hand_over(flow: Flow, node: cst.CSTNode, args: tuple[Value, ...], kwargs: Kwargs) -> None:
    """Functions given to a stranger may be called by it, in the context of this place."""
    trace = flow.body.trace
    for value in (*args, *kwargs.values()):
        if value.kind is not Kind.FUNCTION or value.via:
            continue
        for target in value.targets:
            if trace is not None and trace.staged:
                step = (flow.site(node), flow.project.function(target).name)
                tell_traced(flow, target, trace, step, soft=True)
                tell_unread(flow, target)


# Objects that are there before a trace begins and after it ends: what they keep outlives it


def lasts(flow: Flow, node: cst.CSTNode, base: Value) -> bool:
    """Static or captured, or `self` of a method that is called on such an object."""
    trace = flow.body.trace
    if base.tracer or trace is None:
        return False
    if base.literal == STATIC_SELF:
        return True
    if not isinstance(node, cst.Name):
        return False
    if node.value == flow.function.self_name:
        return bool(flow.view.get(("kept", flow.id)))
    if node.value not in flow.function.captured:
        return trace.direct and node.value in trace.static
    owner = flow.function.scope.outer(node.value)
    if owner is None:
        return True
    return flow.view.get(("traced", (flow.model.path, owner.function.number))) is None


def note_kept(flow: Flow, node: cst.CSTNode, target: FunctionId, function: Value) -> None:
    """Tells a method that it is called on an object that outlives the trace."""
    called = node.func if isinstance(node, cst.Call) else node
    owner = called.value if isinstance(called, cst.Attribute) else called
    if function.self_ and lasts(flow, owner, function.self_[0]):
        flow.effect(("kept", target), True)
