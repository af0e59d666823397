"""Code that a loader of data runs for each example."""

from __future__ import annotations

from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.values import FunctionId
from gotcha_lint.facts.pipelines import PER_EXAMPLE


def runs_per_example(body: Body) -> bool:
    """A method that loaders call for each example, or what nothing but such methods calls."""
    project = body.project
    if project is None or not body.eager:
        return False
    if _is_called_by_loader(project, body.id):
        return True
    callers = body.usage.callers.get(body.id, frozenset())
    return bool(callers) and all(_is_called_by_loader(project, caller) for caller in callers)


def is_item_of_dataset(body: Body) -> bool:
    """`__getitem__` of a class that has a length and no base: a loader asks it for each example."""
    function, project = body.function, body.project
    if project is None or not body.eager or function.cls is None:
        return False
    cid = (body.model.path, function.cls.number)
    own, above = project.ancestors(cid)
    methods = {name for each in own for name in project.cls(each).methods}
    return function.name == "__getitem__" and "__len__" in methods and not above


def _is_called_by_loader(project: Project, fid: FunctionId) -> bool:
    function = project.function(fid)
    if function.cls is None:
        return False
    bases = project.ancestors((fid[0], function.cls))[1]
    return any(PER_EXAMPLE.get(base) == function.name for base in bases)
