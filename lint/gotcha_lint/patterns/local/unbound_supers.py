"""`super(Model).__init__()`: the base class is not reached (floor `patterns`; must).

`super(Model)` with one argument is a `super` object that is bound to nothing. `super(Model, self)`
and `super()` are bound.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.spelled import dotted

_OWN = frozenset(name for name in dir(super) if name not in ("__get__", "__self__"))


def unbound_supers(links: Links, function: Function) -> Iterator[tuple[Span, str, str, bool]]:
    """The call, the class and the method; whether `super` objects have such a method."""
    makers = links.makers(function)
    for call in steps_of(function):
        callee = makers.get(call[2]) if call[0] == "call" else None
        base = makers.get(callee[2]) if callee is not None and callee[0] == "attr" else None
        if callee is None or base is None or base[0] != "call" or base[4] or len(base[3]) != 1:
            continue
        made = makers.get(base[2])
        if made is not None and made[0] == "load" and made[2:4] == ("super", -1):
            star, register = base[3][0]
            if not star:
                yield call[-1], dotted(makers, register), callee[3], callee[3] in _OWN
