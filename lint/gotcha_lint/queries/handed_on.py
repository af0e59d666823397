"""Compiled functions that are called, and then handed on to be called again: what times them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.makers import PARTIALS
from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.values import Via
from gotcha_lint.queries.stale import names_read


def handed_on(call: Call, via: Via) -> bool:
    """`timed(lambda: f(x))`, `timed(partial(f, x))`: one program, used many times."""
    names = {bind.name for bind in call.body.of(Bind) if _is_it(bind, call, via)}
    if call.decorator:
        model = call.body.model
        names |= {model.functions[n].name for path, n in call.result.targets if path == model.path}
    return any(
        read.value in names
        for other in call.body.of(Call)
        if other is not call and other.name not in PARTIALS
        for thunk in _thunks(call, other)
        for read in names_read(thunk)
    )


def _is_it(bind: Bind, call: Call, via: Via) -> bool:
    """A name of the compiled function, or of a partial of it."""
    value = bind.value
    return value.targets == call.result.targets and any(v.site == via.site for v in value.via)


def _thunks(jit: Call, other: Call) -> Iterator[cst.CSTNode]:
    """The arguments that are functions made here which need no argument."""
    for arg in other.node.args:
        made = jit.body.call_of(Flowing(jit.body, other.at).resolve(arg.value))
        empty = isinstance(arg.value, cst.Lambda) and not arg.value.params.params
        if empty or (made is not None and made.name in PARTIALS):
            yield arg.value
