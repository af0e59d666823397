"""`optimizer.update(grads)` of a parameter that is annotated `nnx.Optimizer` (floor `patterns`).

Must, where no file at hand makes an `nnx.ModelAndOptimizer`, a subclass, whose `update` takes this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gotcha_lint.patterns.local.releases import asks, prepared
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Module, Span
from gotcha_lint.program.origins import Origins

_OPTIMIZER, _SUBCLASS = "flax.nnx.Optimizer", "ModelAndOptimizer"
_ASKING = ("flax", "nnx", "signature", "isinstance")


def old_updates(
    origins: Origins, function: Function, visible: Callable[[], list[Module]]
) -> Iterator[Span]:
    """Of one function, whatever release is installed."""
    if not any("Optimizer" in p.annotation for p in function.parameters):
        return
    makers = origins.links.makers(function)
    for i in steps_of(function):
        if i[0] != "call" or len(i[3]) + len(i[4]) != 1:
            continue
        is_star = any(star for star, _ in i[3]) or any(word is None for word, _ in i[4])
        callee = makers.get(i[2])
        if is_star or callee is None or callee[0] != "attr" or callee[3] != "update":
            continue
        if origins.library(function, callee[2]) != _OPTIMIZER or _may_hold_the_model(visible()):
            continue
        tests = prepared(function, makers, every=True)[id(i)]
        if tests is not None and not any(asks(function, test, _ASKING) for test in tests):
            yield i[-1]


def _may_hold_the_model(modules: list[Module]) -> bool:
    return any(
        i[0] in ("attr", "import") and i[3 if i[0] == "attr" else 4] == _SUBCLASS
        for module in modules
        for function in module.functions
        for i in steps_of(function)
    )
