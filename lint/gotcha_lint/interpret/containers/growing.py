"""Lists, sets and dicts that get longer, in a loop or outside of one."""

from __future__ import annotations

from gotcha_lint.domain.freshness import added
from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.value import (
    BOTTOM,
    EACH,
    GROWS,
    INFINITY,
    NO_MARKS,
    UNKNOWN,
    Atom,
    Mapping,
    Marks,
    Object,
    Sequence,
    Size,
    Tuple,
    Value,
    fixed,
    join,
    only,
)
from gotcha_lint.interpret.containers.building import MOST_ITEMS, spread, stored, tuple_or_sequence
from gotcha_lint.interpret.heap import (
    ENTRIES,
    ITEMS,
    Contents,
    add_sizes,
    contents_of,
    element_of,
    mapping_of,
    size_of,
)
from gotcha_lint.interpret.machine import Machine, Registers

EACH_CALL: Marks = frozenset((EACH,))


def growing_in(machine: Machine, site: Site) -> Marks:
    """The open loops that are not around the making of an object: in them it grows."""
    around = site.info.get("around", NO_MARKS)
    elsewhere = site.info.get("frame") is not machine.activation.frame
    each = EACH_CALL if elsewhere else NO_MARKS  # a caller in a loop lets it grow there
    grows = (frozenset(loop for loop, _ in machine.loops) | machine.current | each) - around
    return grows | {(GROWS, loop) for loop in grows}


def shrinks(atom: Atom) -> None:
    """Something is taken out of a list again: it is unknown how long it gets."""
    if isinstance(atom, Object):
        atom.site.info["shrinks"] = True


def only_grows(machine: Machine, value: Value) -> Size | None:
    """How long a list is that loops add to, and that nothing is taken out of."""
    atom = value.only
    content = contents_of(machine, atom) if isinstance(atom, Object) else None
    if not isinstance(atom, Object) or not isinstance(content, Sequence):
        return None
    info = atom.site.info
    if "pushed" not in info or "shrinks" in info or info.get("most") is not None:
        return None
    grows = {mark[1] for mark in content.size.marks if mark[0] == GROWS}
    return content.size if grows & machine.current else None


def push(machine: Machine, site: Site, value: Value, key: Value | None = None) -> None:
    """Adds an element to a list or set, or an entry to a dict that is being made."""
    grows = growing_in(machine, site)
    loop = NO_MARKS
    if grows and machine.loops and machine.loops[-1][0] in grows:
        loop = frozenset((machine.loops[-1][0],))
    elif grows:
        loop = grows
    if site.kind == "dict":
        mapping = mapping_of(machine, Object(site)) or Mapping((), ())
        new = stored(mapping, UNKNOWN if key is None else key, value, loop)
        machine.write((site, ENTRIES), only(new))
        return
    if grows:
        site.info["pushed"] = True
        value = added(value, site.origin, machine.aged)
    content = contents_of(machine, Object(site)) or Tuple(())
    most = site.info.get("most")
    if most is None:
        new = _pushed(content, value, grows, loop)
    else:  # it is full soon, and then stays as long
        new = Sequence(join(element_of(content), value, loop), Size(0, most), content.origin)
    machine.write((site, ITEMS), only(new))


def _pushed(content: Contents, value: Value, grows: Marks, loop: Marks) -> Contents:
    if isinstance(content, Tuple) and not grows and len(content.items) < MOST_ITEMS:
        return Tuple((*content.items, value), content.origin)
    each = join(element_of(content), value, loop)
    old = size_of(content)
    if not grows:
        return Sequence(each, add_sizes(old, fixed(1)), content.origin)
    return Sequence(each, Size(old.low, INFINITY, old.marks | grows), content.origin)


def extend(machine: Machine, site: Site, added: Contents, span: Span | None) -> None:
    """`list.extend(added)`."""
    content = contents_of(machine, Object(site)) or Tuple(())
    grows = growing_in(machine, site)
    if grows:
        old = size_of(content)
        marks = old.marks | grows | size_of(added).marks
        each = join(element_of(content), element_of(added), grows)
        new: Contents = Sequence(each, Size(old.low, INFINITY, marks), content.origin)
    else:
        new = tuple_or_sequence((content, added), content.origin)
    machine.write((site, ITEMS), only(new), span)


def extend_in_place(
    machine: Machine, old: Value, added: Value, registers: Registers, target: int
) -> None:
    """`xs += added` on a list: it keeps its identity, and its contents grow."""
    lists = [a.site for a in old.atoms if isinstance(a, Object) and a.site.kind == "list"]
    if not lists:
        return
    more = spread(machine, added)
    if len(old.atoms) == 1 and not old.unknown:
        extend(machine, lists[0], more, None)
        registers[target] = old
        return
    for site in lists:
        _weakly_extend(machine, site, more)
    others = registers.get(target, UNKNOWN)
    registers[target] = join(others, Value([a for a in old.atoms if _is_list(a)], marks=old.marks))


def _is_list(atom: Atom) -> bool:
    return isinstance(atom, Object) and atom.site.kind == "list"


def _weakly_extend(machine: Machine, site: Site, added: Contents) -> None:
    before = machine.read((site, ITEMS)) or BOTTOM
    extend(machine, site, added, None)
    after = machine.peek((site, ITEMS)) or BOTTOM
    machine.write((site, ITEMS), join(before, after))
