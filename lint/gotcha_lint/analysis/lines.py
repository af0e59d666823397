"""The statements of a function's body in order, and which of them mention a name.

Rules ask for each draw what becomes of it; without an index a function of a thousand draws would be
read a thousand times.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import libcst as cst

from gotcha_lint.analysis.syntax import walk


class Lines(NamedTuple):
    statements: tuple[cst.CSTNode, ...]
    places: dict[int, int]  # of each statement, by its id
    mentions: dict[str, list[int]]  # places of the statements that have the name somewhere

    def after(self, place: int, names: set[str]) -> list[int]:
        """The places behind this one whose statements mention one of the names."""
        return sorted({at for name in names for at in self.mentions.get(name, ()) if at > place})


@lru_cache(maxsize=4)
def lines_of(function: cst.CSTNode) -> Lines:
    body: Any = function if isinstance(function, cst.Module) else getattr(function, "body", None)
    statements = tuple(getattr(body, "body", ()))
    mentions: dict[str, list[int]] = {}
    for place, statement in enumerate(statements):
        for name in {part.value for part in walk(statement) if type(part) is cst.Name}:
            mentions.setdefault(name, []).append(place)
    return Lines(statements, {id(each): n for n, each in enumerate(statements)}, mentions)
