"""Does a value differ from turn to turn, or is it one and the same batch each time?"""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.changing import changing_names
from gotcha_lint.analysis.sites import Body, Place
from gotcha_lint.analysis.syntax import names_in, walk
from gotcha_lint.queries.places import is_hot, is_step, long_loops


def differs(place: Place, node: cst.CSTNode) -> bool:
    """What is read here is not the same each time that the place is reached."""
    names, loops = names_in(node), long_loops(place)
    if loops:
        return any(names & changing_names(loop.node) for loop in loops)
    body = place.body
    return is_step(body) or (is_hot(body) and _is_fed(body))


def _is_fed(body: Body) -> bool:
    """The loop that calls the function gives it something else at each turn."""
    (path, number), _ = body.hot[0]
    if path != body.model.path or number < 0:
        return False
    node = body.model.node(number)
    if not isinstance(node, cst.Call):
        return False
    given = set().union(*(names_in(arg.value) for arg in node.args)) if node.args else set()
    return any(
        given & changing_names(loop)
        for loop in walk(body.model.tree)
        if isinstance(loop, cst.For | cst.While) and any(part is node for part in walk(loop))
    )
