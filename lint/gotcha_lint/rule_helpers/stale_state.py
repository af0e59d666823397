"""State that changes after a trace has read it: what the rules for stale captures share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from gotcha_lint.domain.sites import Frame, Site
from gotcha_lint.domain.value import Object, Symbol
from gotcha_lint.rule import Foreseen
from gotcha_lint.rule_helpers.wording import called, lines_of
from gotcha_lint.solve.programs import CompiledFunction, Place, Programs, Stale

Where = Literal["variable", "attribute", "global"]


def stale(programs: Programs, where: Where) -> Iterator[Foreseen]:
    """Captures of this kind that are written after the trace: each of a function once.

    Containers are one location here: a write of another element only *may* be one.
    """
    for row in programs.compiled.values():
        seen: set[Any] = set()
        for each in row.stale:
            if _where(each) == where and each.location not in seen and not _is_key(row, each):
                seen.add(each.location)
                yield _foreseen(row, each, where)


def _where(stale: Stale) -> Where:
    base = stale.location[0]
    if isinstance(base, str):
        return "global"
    return "attribute" if stale.of_object and not isinstance(base, Frame) else "variable"


def _is_key(row: CompiledFunction, stale: Stale) -> bool:
    """A static `self` whose class has a hash of its own: after the change it is another key."""
    base = stale.location[0]
    cls = base.info.get("class") if isinstance(base, Site) else None
    if cls is None or row.function is None:
        return False
    body = cls.info["function"]
    return row.function.parent is body and "__hash__" in body.locals


def _is_read_itself(stale: Stale) -> bool:
    """The trace reads the value itself, as far as the code shows.

    Of what is not known it may read an attribute that the write leaves alone. An optimizer that is
    made again is mostly the same one.
    """
    value = dict(stale.call.captured).get(stale.location)
    if value is None or not value.atoms:
        return False
    bases = {atom for atom in value.atoms if isinstance(atom, Symbol)}
    if any(base in bases for (base, _), _ in stale.call.captured):
        return False
    return not all(
        isinstance(atom, Object) and atom.site.kind == "optimizer" for atom in value.atoms
    )


def _foreseen(row: CompiledFunction, stale: Stale, where: Where) -> Foreseen:
    base, name = stale.location
    is_name = str(name).isidentifier()
    words = {"variable": "", "attribute": "the attribute ", "global": "the global "}
    what = f"{words[where]}`{name}`" if is_name else "a captured container"
    function = row.function
    defined: tuple[Place, ...] = ()
    if function is not None:
        line = function.line
        text = f"{called(function)} reads it when it is traced"
        defined = ((function.path, (line, 1, line, 1), text),)
    about = function
    if isinstance(base, Site) and base.kind == "instance" and base.info.get("class") is not None:
        about = base.info["class"].info["function"]
    place, assignment = (stale.path, stale.span), "this assignment"
    written: tuple[Place, ...] = ()
    if where == "global" and function is not None and function.path != stale.path:
        # The name belongs to the function's file, and so does the finding.
        place, assignment = (function.path, (function.line, 1, function.line, 1)), "an assignment"
        written = ((stale.path, stale.span, "assigned here"),)
        defined = ()
    return Foreseen(
        place,
        f"{called(function)} was compiled with the value that {what} had when it was traced: "
        f"{assignment} is not seen by it; pass the value as an argument",
        (
            *defined,
            *written,
            (row.site.path, row.site.span, "compiled here"),
            (stale.call.path, stale.call.span, "called again here, with the old value"),
        ),
        certain=is_name and _is_read_itself(stale),
        about=lines_of(about),
    )
