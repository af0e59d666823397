"""Where objects are made: allocation sites, and the frames that hold local names.

A site stands for all objects that one instruction makes in one context. `loops` says how recent an
object is: the loops in whose steady iterations the instruction makes a new one. Sites and frames
are compared by identity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gotcha_lint.program.ir import Function

Span = tuple[int, int, int, int]  # line, column, end line, end column; from 1, end exclusive
Origin = tuple[str, Span]  # path, span


class Frame:
    """The local names of one function, called on these objects; a key of locations in the state.

    `depth`: how many frames lie within each other through the objects that name them.
    """

    __slots__ = ("depth", "function")

    def __init__(self, function: Function, depth: int = 0) -> None:
        self.function = function
        self.depth = depth

    def __repr__(self) -> str:
        return f"<frame of {self.function.name}>"


class Site:
    """An allocation site. `kind` says what is made there, `info` what is known of it at once.

    Kinds: function, class, instance, list, dict, set, module, transform (jit, grad, vmap, partial,
    cache, ...), optimizer, property, cached_property, static_method, class_method, super, object.
    """

    __slots__ = ("generation", "info", "kind", "loops", "path", "span")

    def __init__(self, kind: str, path: str, span: Span) -> None:
        self.kind = kind
        self.path = path
        self.span = span
        self.info: dict[str, Any] = {}
        self.loops: frozenset[Any] = frozenset()
        self.generation = 0  # grows with each allocation: an older object is another one

    @property
    def origin(self) -> Origin:
        return self.path, self.span

    def __repr__(self) -> str:
        return f"<{self.kind} at {self.path}:{self.span[0]}>"
