"""Loops that train: the state goes from turn to turn through one compiled call."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Loop
from gotcha_lint.analysis.syntax import source_of, walk
from gotcha_lint.queries.reads import is_clock, targets_of

_SELDOM = (
    "epoch",
    "chunk",
    "round",
    "episode",
    "generation",
    "phase",
    "window",
    "iteration",
    "multi",
)


def training_loop(body: Body, call: Call) -> Loop | None:
    """The loop that carries the state of this call from turn to turn."""
    if not call.at.loops:
        return None
    loop = call.at.loops[-1]
    given = {n.value for arg in call.node.args for n in walk(arg.value) if isinstance(n, cst.Name)}
    carries = bool(targets_of(body, call) & given)
    if loop.kind == "comprehension" or loop.short or not carries or _seldom(loop, call):
        return None
    skips = any(isinstance(node, cst.Continue) for node in walk(loop.node))
    timed = any(is_clock(body, c.node) for c in body.of(Call) if loop in c.at.loops)
    return None if skips or timed else loop


def _seldom(loop: Loop, call: Call) -> bool:
    words = " ".join((*loop.names, source_of(call.node.func))).lower()
    return any(word in words for word in _SELDOM)
