"""One step of a training loop: is it one, and do the parameters come out of it alone?"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.filling import filled_by
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import dotted, walk


def is_step(call: Call, state: cst.CSTNode) -> bool:
    """One function of the project that makes one update with this state, or whose name says so."""
    if len(call.callee.targets) != 1 or call.body.project is None:
        return False
    if filled_by(call, state) in call.body.usage.updated:
        return True
    function = call.body.project.function(next(iter(call.callee.targets)))
    return function.name.lower().strip("_").split("_")[-1] in ("step", "update", "learn")


def model_stays(site: Call, step: Call) -> bool:
    """The step changes a model in place that was there before the loop."""
    first = site.node.args[0].value if site.node.args else None
    given = {name} if first is not None and (name := dotted(first)) else set[str]()
    passed = {dotted(arg.value) for arg in step.node.args}
    lines = [n for n in walk(site.at.loops[-1].node) if isinstance(n, cst.SimpleStatementLine)]
    return bool(given & passed) and not any(_touches(given, _targets(line)) for line in lines)


def carried(site: Call, step: Call) -> bool:
    """The parameters come out of the step, and nothing else sets them in the loop."""
    parts = [arg.value for arg in site.node.args]
    if site.callee.self_ and isinstance(site.node.func, cst.Attribute):
        parts.append(site.node.func.value)  # `self.fresh_state()`
    given = {name for part in parts for name in _dotted_names(part)}
    mine = step.at.statement
    if not _touches(given, _targets(mine)):
        return False
    loops = site.at.loops
    if not loops:
        return True
    lines = [n for n in walk(loops[-1].node) if isinstance(n, cst.SimpleStatementLine)]
    made = site.at.statement
    return not any(_touches(given, _targets(line)) for line in lines if line not in (mine, made))


def _touches(names: set[str], targets: set[str]) -> bool:
    """One of the targets is one of the names, or a part of it: `self.params` of `self`."""
    return any(
        target == name or target.startswith(f"{name}.") for target in targets for name in names
    )


def _dotted_names(node: cst.CSTNode) -> Iterator[str]:
    """`self.params` and `model` of `filter(model, is_array)`."""
    if isinstance(node, cst.Call):
        for arg in node.args:
            yield from _dotted_names(arg.value)
    elif (name := dotted(node)) is not None:
        yield name


def _targets(line: cst.CSTNode) -> set[str]:
    found: set[str] = set()
    for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
        if isinstance(small, cst.Assign):
            for target in small.targets:
                whole = target.target
                parts = whole.elements if isinstance(whole, cst.Tuple | cst.List) else ()
                names = [dotted(part.value) for part in parts] or [dotted(whole)]
                found |= {name for name in names if name}
    return found
