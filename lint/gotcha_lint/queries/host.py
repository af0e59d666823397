"""Code that certainly runs as plain Python: it prints, reads files, or tells the time."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.hosting import is_host
from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.sites import Body, Place
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.facts.host import COMPILED_WHOLE
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.places import is_hot, long_loops
from gotcha_lint.queries.seldom import loops_often


def runs_often_on_host(place: Place) -> bool:
    """In a training loop, or a function called by one, that is seen to run as plain Python."""
    body = place.body
    if not _runs_plain(body) or (body.function.is_generator and not long_loops(place)):
        return False
    if loops_often(place):
        return is_host(body)
    return is_hot(body) and (is_script(body.model) or is_host(body) or _hot_from_module(body))


def _runs_plain(body: Body) -> bool:
    """As far as is known, and of no test."""
    whole = (not COMPILED_WHOLE.isdisjoint(name.split(".")) for name in body.model.imports)
    return body.eager and not is_test(body.model.path) and not any(whole)


def _hot_from_module(body: Body) -> bool:
    """The loop that calls it stands at the top of this file."""
    path, number = body.hot[0][0]
    if path != body.model.path or number < 0:
        return False
    node = body.model.node(number)
    loops = [s for s in body.model.tree.body if isinstance(s, cst.For | cst.While)]
    return any(part is node for loop in loops for part in walk(loop))


def is_script(model: FileModel) -> bool:
    """The file asks whether it is the main program."""
    for statement in model.tree.body:
        if isinstance(statement, cst.If):
            names = {n.value for n in walk(statement.test) if isinstance(n, cst.Name)}
            if "__name__" in names:
                return True
    return False
