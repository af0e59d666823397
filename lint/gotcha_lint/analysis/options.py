"""Options that a project's own `jit` hands on: its callers say which arguments are static."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gotcha_lint.analysis.filling import still_free
from gotcha_lint.analysis.flags import tell_defaults
from gotcha_lint.analysis.roles import BOUNDARIES, static_names
from gotcha_lint.analysis.sites import Trace
from gotcha_lint.analysis.values import Kind, Kwargs, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

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
