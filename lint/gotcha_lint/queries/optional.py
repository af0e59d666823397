"""Places that wait for an optional argument, which no traced call is seen to give or leave out."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.flags import unseen
from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Place, Trace
from gotcha_lint.analysis.syntax import ends, walk


def not_asked_for(place: Place) -> bool:
    """In a helper of traced code, under `if n is None:`, where all calls seem to give `n`.

    So too under `if debug:`, and behind an `if n is None: return ...`.
    """
    body = place.body
    if body.trace is None or not body.said or _is_boundary(body.trace):
        return False
    around = ((guard.test, guard.when) for guard in place.at.guards)
    return any(unseen(body.said, test, when) for test, when in (*around, *_left_on(place)))


def _is_boundary(trace: Trace) -> bool:
    """Given to jit itself: who calls it then is not seen. A loop's body is called by the loop."""
    role = trace.chain[-1][1].partition(" of ")[0] if trace.chain else ""
    return trace.direct and (not role or role in BOUNDARIES)


def _left_on(place: Place) -> list[tuple[cst.CSTNode, bool]]:
    """The conditions on which the function has returned before."""
    node = place.body.function.node
    found: list[tuple[cst.CSTNode, bool]] = []
    for part in node.body.body if isinstance(node, cst.FunctionDef) else ():
        if any(each is place.at.statement for each in walk(part)):
            break
        if isinstance(part, cst.If) and part.orelse is None and ends(part.body):
            found.append((part.test, False))
    return found
