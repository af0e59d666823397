"""Which arguments of a transformed function are static, donated, mapped or differentiated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.filling import still_free
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.values import (
    FunctionId,
    Kind,
    Kwargs,
    Value,
    Via,
)
from gotcha_lint.facts import Transform

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow
    from gotcha_lint.analysis.project import Project


BOUNDARIES = frozenset({"jit", "pmap", "shard_map", "nnx.jit", "nnx.pmap"})
GRADS = frozenset({"grad", "value_and_grad"})
_STATIC_NUMS = ("static_argnums", "static_broadcasted_argnums", "nondiff_argnums")


def boundary(function: Value) -> Via | None:
    """The last jit or pmap that a function went through."""
    return next((via for via in reversed(function.via) if via.name in BOUNDARIES), None)


def via_of(
    flow: Flow,
    node: cst.CSTNode,
    callee: Value,
    row: Transform,
    args: tuple[Value, ...],
    kwargs: Kwargs,
) -> Via:
    """The roles of the arguments: static, donated, differentiated."""
    earlier = callee.via[0] if callee.via else None
    position = kwargs.get("argnums", args[1] if row.role in GRADS and len(args) > 1 else None)
    wrt, _ = _ints(position) if position is not None else ((0,), True)
    has_aux = kwargs["has_aux"].literal if "has_aux" in kwargs else False
    unmapped = _unmapped(row, args, kwargs)
    known = has_aux is not None and not row.filtered and unmapped is not None
    via = with_roles(
        Via(
            row.role,
            flow.site(node),
            known=known and (not unpacks(node) or _hands_on(flow, node)),
            has_aux=bool(has_aux),
            wrt=wrt,
            unmapped=unmapped or (),
            shaped=has_aux is not None and not unpacks(node),
            filtered=row.filtered,
        ),
        kwargs,
    )
    if unpacks(node):  # what is handed on is known where this function is called
        via = via._replace(known=False, options=via.known)
    if earlier is None:
        return via
    return via._replace(
        static_nums=via.static_nums or earlier.static_nums,
        static_names=via.static_names or earlier.static_names,
        donate_nums=via.donate_nums or earlier.donate_nums,
        donate_names=via.donate_names or earlier.donate_names,
        known=via.known and earlier.known,
        has_aux=via.has_aux or earlier.has_aux,
        wrt=via.wrt if position is not None else earlier.wrt,
        unmapped=via.unmapped or earlier.unmapped,
        shaped=via.shaped and earlier.shaped,
    )


def with_roles(via: Via, kwargs: Kwargs) -> Via:
    """With the static and donated arguments that these options of a transform name."""
    nums, known1 = _ints(next((kwargs[name] for name in _STATIC_NUMS if name in kwargs), None))
    names, known2 = _strings(kwargs.get("static_argnames"))
    donated, known3 = _ints(kwargs.get("donate_argnums"))
    donated_names, known4 = _strings(kwargs.get("donate_argnames"))
    return via._replace(
        static_nums=via.static_nums or nums,
        static_names=via.static_names or names,
        donate_nums=via.donate_nums or donated,
        donate_names=via.donate_names or donated_names,
        known=via.known and known1 and known2 and known3 and known4,
    )


def unpacks(node: cst.CSTNode) -> bool:
    """A call with `**settings`: it may say anything."""
    return isinstance(node, cst.Call) and any(arg.star == "**" for arg in node.args)


def _hands_on(flow: Flow, node: cst.CSTNode) -> bool:
    """All that is unpacked is the function's own `**options`."""
    own = {param.name for param in flow.function.params if param.kind == "kwargs"}
    args = node.args if isinstance(node, cst.Call) else ()
    return all(dotted(arg.value) in own for arg in args if arg.star == "**")


def with_options(via: Via, kwargs: Kwargs) -> Via:
    """What a caller of `def compiled(f, **options)` says."""
    return with_roles(via._replace(known=True, options=False), kwargs)


def _unmapped(row: Transform, args: tuple[Value, ...], kwargs: Kwargs) -> tuple[int, ...] | None:
    """The arguments that pass as they are: None in `in_axes`; None where that cannot be read."""
    if row.role == "custom":
        return None
    if row.role == "shard_map" and "in_specs" in kwargs:  # a spec None: the argument stays as it is
        specs = kwargs["in_specs"].items
        return None if any(spec.kind is Kind.NONE or spec.maybe for spec in specs) else ()
    axes = kwargs.get("in_axes", args[1] if row.role == "vmap" and len(args) > 1 else None)
    if row.role != "vmap" or axes is None or isinstance(axes.literal, int | tuple):
        return ()
    if axes.kind is not Kind.TUPLE or any(
        axis.kind is not Kind.NONE and not isinstance(axis.literal, int) for axis in axes.items
    ):
        return None
    return tuple(n for n, axis in enumerate(axes.items) if axis.kind is Kind.NONE)


def _ints(value: Value | None) -> tuple[tuple[int, ...], bool]:
    if value is None or value.kind is Kind.NONE:
        return (), True
    literal = value.literal
    if isinstance(literal, int):
        return (literal,), True
    if isinstance(literal, tuple) and all(isinstance(n, int) for n in literal):
        return literal, True
    known = value.kind in (Kind.TUPLE, Kind.LIST) and all(
        isinstance(v.literal, int) for v in value.items
    )
    return tuple(v.literal for v in value.items) if known else (), known


def _strings(value: Value | None) -> tuple[tuple[str, ...], bool]:
    if value is None or value.kind is Kind.NONE:
        return (), True
    literal = value.literal
    if isinstance(literal, str):
        return (literal,), True
    if isinstance(literal, tuple) and all(isinstance(n, str) for n in literal):
        return literal, True
    return (), value.kind is Kind.LIST and not value.items


def functions_of(row: Transform, args: tuple[Value, ...], kwargs: Kwargs) -> Iterator[Value]:
    for position, name in zip(row.functions, (*row.names, *row.names), strict=False):
        if position < len(args):
            value = args[position]
        else:
            found = next(
                (
                    kwargs[n]
                    for n in ({name} if len(row.functions) > 1 else row.names)
                    if n in kwargs
                ),
                None,
            )
            if found is None:
                continue
            value = found
        if row.many and value.kind in (Kind.TUPLE, Kind.LIST):
            yield from value.items
        else:
            yield value


def static_names(flow: Flow, target: FunctionId, function: Value, via: Via) -> frozenset[str]:
    positional = _counted(flow.project, target, function, via)
    names = {positional[n] for n in via.static_nums if -len(positional) <= n < len(positional)}
    return frozenset(names | set(via.static_names))


def _counted(project: Project, target: FunctionId, function: Value, via: Via) -> list[str]:
    """The parameters that a transform counts: `@jit` above a method counts self too."""
    bound = function.bound if via.bound < 0 else via.bound
    left = [p for p in project.function(target).params if p[0] not in function.bound_names]
    return [p[0] for p in left[bound:] if p[1] == "positional"]


def left_out(flow: Flow, target: FunctionId, function: Value, via: Via) -> frozenset[str]:
    """The parameters that a vmap does not map."""
    counted = _counted(flow.project, target, function, via)
    return frozenset(counted[n] for n in via.unmapped if n < len(counted))


def pairs(
    flow: Flow, target: FunctionId, function: Value, args: tuple[Value, ...], kwargs: Kwargs
) -> list[tuple[str, Value]]:
    """The parameters that a call fills, each with its value."""
    given = [p[0] for p in still_free(flow.project, target, function) if p[1] == "positional"]
    filled = list(zip(given, args, strict=False))
    if kwargs:
        names = {p[0] for p in flow.project.function(target).params}
        filled.extend((name, value) for name, value in kwargs.items() if name in names)
    return filled
