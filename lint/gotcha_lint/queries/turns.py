"""Does a value differ from turn to turn, or is it one and the same batch each time?"""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Body, Place
from gotcha_lint.analysis.syntax import names_in, target_names, walk
from gotcha_lint.queries.places import is_hot, is_step, long_loops

# Calls of these names give something else each time.
_DRAWS = frozenset(
    ["next", "sample", "integers", "randint", "choice", "permutation", "get", "rollout", "play"]
)
_TURNS = 2  # passes over a loop's body: a name may be made of one that is assigned below it


def differs(place: Place, node: cst.CSTNode) -> bool:
    """What is read here is not the same each time that the place is reached."""
    names, loops = names_in(node), long_loops(place)
    if loops:
        return any(names & changing_names(loop.node) for loop in loops)
    body = place.body
    return is_step(body) or (is_hot(body) and _is_fed(body))


def changing_names(loop: cst.CSTNode) -> set[str]:
    """The targets of a loop, and what its body makes of them or draws anew."""
    names = set()
    clauses = [part for part in walk(loop) if isinstance(part, cst.For | cst.CompFor)]
    if clauses and (clauses[0] is loop or not isinstance(loop, cst.For | cst.While)):
        names |= {name.value for name in target_names(clauses[0].target)}
    for _ in range(_TURNS):
        for part in walk(loop):
            if isinstance(part, cst.Assign) and names_in(part.value) & (names | _DRAWS):
                for target in part.targets:
                    names |= {name.value for name in target_names(target.target)}
            elif isinstance(part, cst.For) and names_in(part.iter) & (names | _DRAWS):
                names |= {name.value for name in target_names(part.target)}
    return names


def _is_fed(body: Body) -> bool:
    """The loop that calls the function gives it something else at each turn."""
    (path, number), _ = body.hot[0]
    if path != body.model.path or number < 0:
        return False
    node = body.model.nodes[number]
    if not isinstance(node, cst.Call):
        return False
    given = set().union(*(names_in(arg.value) for arg in node.args)) if node.args else set()
    return any(
        given & changing_names(loop)
        for loop in walk(body.model.tree)
        if isinstance(loop, cst.For | cst.While) and any(part is node for part in walk(loop))
    )
