"""State that changes after a trace has read it: what the rules for stale captures share."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Literal

from gotcha_lint.domain.sites import Frame, Origin, Site
from gotcha_lint.domain.value import Constant, Mapping, Number, Object, Symbol, Value
from gotcha_lint.facts.setting_up import is_set_up
from gotcha_lint.interpret.indexing import cut_of
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.rule import Foreseen
from gotcha_lint.rule_helpers.wording import called
from gotcha_lint.solve.compiled_functions import CompiledFunction, Place, Stale
from gotcha_lint.solve.programs import Programs

_SAME = ("apply_fn", "tx")  # what a train state keeps that replaces another
Where = Literal["variable", "attribute", "global"]


def stale(programs: Programs, where: Where) -> Iterator[Foreseen]:
    """Captures of this kind that are written after the trace: each of a function once.

    Containers are one location here: a write of another element only *may* be one.
    """
    for row in programs.compiled.values():
        seen: set[Any] = set()
        for each in row.stale:
            if _where(each) != where or each.location in seen or _is_key(row, each):
                continue
            seen.add(each.location)
            if where != "attribute" or _read_at(each, where) is not None:
                yield _foreseen(row, each, where)


def _where(stale: Stale) -> Where:
    base = stale.location[0]
    if isinstance(base, str):
        return "variable" if stale.at_top else "global"
    if isinstance(base, Site) and base.kind == "dict" and not stale.at_top:
        frame = base.info.get("frame")
        return "global" if frame is not None and frame.function.is_module else "variable"
    return "attribute" if stale.of_object and not isinstance(base, Frame) else "variable"


def _is_key(row: CompiledFunction, stale: Stale) -> bool:
    """A static `self` whose class has a hash of its own: after the change it is another key."""
    base = stale.location[0]
    cls = base.info.get("class") if isinstance(base, Site) else None
    if cls is None or row.function is None:
        return False
    body = cls.info["function"]
    return row.function.parent is body and "__hash__" in body.locals


def _is_read_itself(stale: Stale, where: Where) -> bool:
    """The trace reads the value itself, as far as the code shows.

    Of what is not known it may read an attribute that the write leaves alone. An optimizer that is
    made again is mostly the same one, unless the code shows other settings.
    """
    value = stale.before
    if where == "attribute" and not value.atoms:
        return True  # what an object holds is put in place of the old value as a whole
    if not value.atoms:
        return False
    bases = {atom for atom in value.atoms if isinstance(atom, Symbol)}
    if any(base in bases for (base, _), _ in stale.call.captured):
        return False
    made = _optimizer(value)
    return made is None or _is_another(made, _optimizer(stale.after)) or _varies(stale)


def _optimizer(value: Value) -> Site | None:
    sites = [a.site for a in value.atoms if isinstance(a, Object) and a.site.kind == "optimizer"]
    return sites[0] if sites else None


def _is_another(old: Site, new: Site | None) -> bool:
    """Made of other numbers: `adam(1e-3)`, `adam(1e-4)`."""
    if new is None:
        return False
    parts = [old.info["name"], *old.info["parts"]]
    others = [new.info["name"], *new.info["parts"]]
    known = all(
        isinstance(part, str) or isinstance(part.only, Constant | Number)
        for part in (*parts, *others)
    )
    return known and parts != others


def _varies(stale: Stale) -> bool:
    """Is it made of what varies with a loop around the call: `for rate in rates: ... adam(rate)`?

    Not where the key of the call varies with that loop, too: it is traced again, with the new one.
    """
    call = stale.call
    leaves = call.leaves.values()
    sizes = [size for leaf in leaves for size, _ in leaf.sizes.values()]
    cuts = [cut_of(symbol) for leaf in leaves for symbol, _ in leaf.symbols]
    sizes += [cut[1] for cut in cuts if cut is not None]
    keyed = frozenset[Any]().union(*(part.marks for part in (*sizes, *leaves, *call.statics)))
    return not stale.after.marks.isdisjoint(call.loops - keyed)


def _element_read(stale: Stale) -> tuple[str, Origin] | None:
    """The element of a dict that the write changes and the traced code reads, and where it does."""
    old, new = stale.before.only, stale.after.only
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return None
    before = dict(zip(old.keys, old.values, strict=True))
    after = dict(zip(new.keys, new.values, strict=True))
    both = before.keys() & after.keys()
    changed = {key for key in both if not {*before[key].atoms} <= {*after[key].atoms}}
    for function in sorted(stale.call.traced, key=lambda f: (f.path, f.line)):
        known: dict[int, Hashable] = {}
        for step in steps_of(function):
            if step[0] == "const":
                known[step[1]] = step[2]
            elif step[0] == "item" and known.get(step[3]) in changed:
                return repr(known[step[3]]), (function.path, step[-1])
    return None


def _foreseen(row: CompiledFunction, stale: Stale, where: Where) -> Foreseen:
    """Of a variable, where it is assigned; else where the trace reads it: that is to be mended."""
    name = stale.location[1]
    is_name = str(name).isidentifier()
    element = None if is_name else _element_read(stale)
    written: Origin = (stale.path, stale.span)
    read = _read_at(stale, where) if element is None else element[1]
    line = row.function.line if row.function is not None else 0
    compiled: Place = (row.site.path, row.site.span, "compiled here")
    again: Place = (stale.call.path, stale.call.span, "called again here, with the old value")
    certain = (is_name and _is_read_itself(stale, where)) or element is not None
    if where != "variable" and is_set_up(stale.writer):
        certain = False  # mostly before anything is compiled
    if where == "variable" or read is None:
        what = f"`{name}`" if is_name else "a captured container"
        what = what if element is None else f"the element `{element[0]}` of a captured dict"
        defined: tuple[Place, ...] = ()
        if row.function is not None:
            text = f"{called(row.function)} reads it when it is traced"
            defined = ((row.function.path, (line, 1, line, 1), text),)
        return Foreseen(
            written,
            f"{called(row.function)} was compiled with the value that {what} had when it was "
            f"traced: this {'call' if stale.by_call else 'assignment'} is not seen by it; pass "
            "the value as an argument",
            (*defined, compiled, again),
            certain,
        )
    what = f"the global `{name}`" if where == "global" else f"the attribute `{name}`"
    what = what if element is None else f"the element `{element[0]}` of a global dict"
    return Foreseen(
        read,
        f"{what} is read once, when {called(row.function)} is traced, and assigned later: the "
        "compiled program keeps the old value; pass it as an argument",
        ((*written, "assigned here"), compiled, again),
        certain,
    )


def _read_at(stale: Stale, where: Where) -> Origin | None:
    """Where the traced code reads the name, first in the order of the text."""
    name = stale.location[1]
    for function in sorted(stale.call.traced, key=lambda f: (f.path, f.line)):
        code = list(steps_of(function))
        same = {step[2] for step in code if step[0] == "attr" and step[3] in _SAME}
        # `assert self.state is not None`: no other state makes another program of it.
        checked = {step[2] for step in code if step[0] == "assert"}
        same |= {step[3] for step in code if step[0] == "compare" and step[1] in checked}
        for step in code:
            if (
                where == "attribute"
                and step[0] == "attr"
                and step[3] == name
                and step[1] not in same
            ):
                return function.path, step[-1]
            if where == "global" and step[0] == "load" and step[2:4] == (name, -1):
                return function.path, step[-1]
    return None
