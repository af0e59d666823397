"""Why a program was compiled: what differs from those that were compiled for its function before.

Pure data in, pure data out. Nothing is decided by time or size: two programs of one source with
equal signatures are a storm, whenever they happen.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field

from gotcha_sanitizer.values.events import Explained, Program
from gotcha_sanitizer.values.parts import Difference, Leaf, Mark, Signature, Site

_DEEP = 16
_BY_IDENTITY = ("function", "identity", "method", "array")
_KEPT = 24  # programs of one function that a new one is compared with

CAUSES = (
    "new-function",
    "transform",  # before what could be avoided: it needs a program of its own in any case
    "call-style",
    "static-identity",
    "static-value",
    "pytree",
    "pytree-static",
    "shape",
    "dtype",
    "weak-type",
    "sharding",
    "committed",
    "context",
    "jit-options",
    "cache-cleared",
    "unknown",
)


@dataclass
class _Group:
    """The programs of one function; of one operation at one line, when it ran outside of jit."""

    recent: deque[Program] = field(default_factory=lambda: deque(maxlen=_KEPT))
    variants: int = 0
    sites: Counter[Site | None] = field(default_factory=Counter)


class History:
    """All programs so far, by function."""

    def __init__(self) -> None:
        self._groups: dict[object, _Group] = {}

    def explain(self, program: Program) -> Explained:
        """Why this program was made; takes it into the history."""
        if not program.called or not {"lower", "compile"} & program.seconds.keys():
            return Explained(program, (), 1, 1)  # a trace for its own sake
        group = self._groups.setdefault(_key(program), _Group())
        before, differences = _nearest(program, group)
        group.recent.append(program)
        group.variants += 1
        group.sites[program.site] += 1
        return Explained(program, differences, group.variants, group.sites[program.site], before)

    def forget(self, files: Container[str]) -> None:
        """Drops the functions that are defined in these files: they are made again."""
        for key, group in list(self._groups.items()):
            site = group.recent[-1].function.site if group.recent else None
            if site is not None and site.path in files:
                del self._groups[key]

    def of(self, name: str) -> list[Program]:
        """The programs kept of the functions with this name."""
        return [p for g in self._groups.values() for p in g.recent if p.function.name == name]


def _key(program: Program) -> object:
    if program.eager:
        return program.function.name, program.site, program.eager
    return program.function.key


def _nearest(program: Program, group: _Group) -> tuple[Program | None, tuple[Difference, ...]]:
    """The earlier program that differs least, the latest of these; and what differs."""
    best: tuple[Program | None, tuple[Difference, ...]] = (None, ())
    known = program.eager or any(
        each.function.serial == program.function.serial for each in group.recent
    )
    least = 0 if known else 1  # another function is a difference
    for before in reversed(group.recent):
        found = tuple(_differences(before, program))
        if best[0] is None or len(found) < len(best[1]):
            best = before, found
        if len(found) <= least:
            break
    before, found = best
    if before is not None and not found:
        return before, (_without_difference(before, program),)
    return before, tuple(sorted(found, key=lambda each: CAUSES.index(each.cause)))


def _without_difference(before: Program, program: Program) -> Difference:
    if program.transform:
        return Difference("transform", program.transform, "", "")
    if before.function.bound != program.function.bound:  # JAX finds it only while the old one lives
        return Difference("new-function", "", "", "", renewed=True)
    if program.cleared:
        return Difference("cache-cleared", "JAX no longer had the earlier trace", "", "")
    return Difference("unknown", "nothing that can be seen differs", "", "")


def _differences(old: Program, new: Program) -> Iterator[Difference]:
    yield from _functions(old, new)
    if old.transform != new.transform:
        yield Difference("transform", "", old.transform or "a call", new.transform or "a call")
    yield from signatures(old.signature, new.signature)


def _functions(old: Program, new: Program) -> Iterator[Difference]:
    if old.function.serial == new.function.serial or new.eager:
        return
    was = {each.name: each.mark for each in old.captures}
    changed = [
        Difference("new-function", each.name, was[each.name].text, each.mark.text)
        for each in new.captures
        if each.name in was and not _same_contents(was[each.name], each.mark)
    ]
    if changed:
        yield from changed
    else:
        yield Difference("new-function", "", "", "", renewed=True)


def _same_contents(a: Mark, b: Mark) -> bool:
    if a.kind == "array":  # device arrays are told apart by identity: their contents stay there
        return a.key == b.key
    return a.key == b.key or (a.source is not None and a.source == b.source)


def signatures(old: Signature, new: Signature) -> Iterator[Difference]:
    """What differs between two signatures of one function."""
    if old.call != new.call:
        yield Difference("call-style", "", _style(old), _style(new))
    yield from _words("context", old.context, new.context)
    yield from _words("jit-options", old.options, new.options)
    yield from _marks("static", old.statics, new.statics)
    yield from _trees(old, new)
    yield from _marks("pytree", old.meta, new.meta)
    for path in (path for path in new.leaves if path in old.leaves):  # in the order of arguments
        yield from _leaves(path, old.leaves[path], new.leaves[path])


def _style(signature: Signature) -> str:
    given, names = signature.call
    return f"{len(given)} positional" + (
        f" and {', '.join(f'{n}=' for n in names)}" if names else ""
    )


def _words(cause: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Difference]:
    if old == new:
        return
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            yield Difference(cause, name, old.get(name, "not set"), new.get(name, "not set"))


def _marks(what: str, old: Mapping[str, Mark], new: Mapping[str, Mark]) -> Iterator[Difference]:
    for path in sorted(old.keys() & new.keys()):
        a, b = old[path], new[path]
        if a.key == b.key:
            continue
        inner, a, b = _innermost(path, a, b)
        # Of arrays only shape and dtype are kept: whether the contents are equal is not known.
        renewed = a.kind != "array" and a.source is not None and a.source == b.source
        by_identity = renewed or (a.kind == b.kind and a.kind in _BY_IDENTITY)
        if what == "pytree":
            cause = "pytree-static"
        else:
            cause = "static-identity" if by_identity else "static-value"
        text = "another one" if a.text == b.text and not renewed else b.text
        yield Difference(cause, inner, a.text, text, renewed)


def _innermost(path: str, a: Mark, b: Mark) -> tuple[str, Mark, Mark]:
    """The first part inside two values that differs, as deep as can be seen."""
    for _ in range(_DEEP):
        theirs = dict(a.parts)
        if _class(a) != _class(b):
            break
        pairs = [(n, theirs[n], m) for n, m in b.parts if n in theirs and theirs[n].key != m.key]
        # What was only made again inside of something that also changed is not the reason, and an
        # array that may hold the same is the last that is.
        changed = [pair for pair in pairs if not _same_contents(pair[1], pair[2])]
        if not pairs:
            break
        name, a, b = min(changed or pairs, key=lambda pair: pair[2].kind == "array")
        path += name
    return path, a, b


def _class(mark: Mark) -> object:
    """Of an object: two of different classes differ as a whole."""
    if mark.kind == "identity" and isinstance(mark.source, tuple):
        return mark.source[0]
    return None


def _trees(old: Signature, new: Signature) -> Iterator[Difference]:
    if old.truncated or new.truncated:
        return
    for path in sorted(old.nodes.keys() & new.nodes.keys()):
        if old.nodes[path] != new.nodes[path]:
            yield Difference("pytree", path, old.nodes[path], new.nodes[path])
    yield from _replaced(old, new)
    here, there = _places(old), _places(new)
    for path in sorted(here ^ there)[:3]:
        sides = ("there", "missing") if path in here else ("missing", "there")
        yield Difference("pytree", path, *sides)


def _replaced(old: Signature, new: Signature) -> Iterator[Difference]:
    """What is a leaf on one side and no leaf on the other: `None`, a container, a static value."""
    for path in sorted(_places(old) & _places(new)):
        if (path in old.leaves) != (path in new.leaves):
            yield Difference("pytree", path, _kind(old, path), _kind(new, path))


def _kind(signature: Signature, path: str) -> str:
    leaf = signature.leaves.get(path)
    return signature.nodes[path] if leaf is None else str(leaf)


def _places(signature: Signature) -> set[str]:
    return {*signature.leaves, *signature.nodes} - set(signature.statics)


def _leaves(path: str, a: Leaf, b: Leaf) -> Iterator[Difference]:
    if a.shape != b.shape:
        yield Difference("shape", path, str(a), str(b))
    if a.dtype != b.dtype:
        yield Difference("dtype", path, str(a), str(b))
    elif a.weak != b.weak:
        yield Difference("weak-type", path, _strength(a), _strength(b))
    if a.committed != b.committed and a.sharding and b.sharding:
        yield Difference("committed", path, _placed(a), _placed(b))
    elif a.sharding != b.sharding and a.sharding and b.sharding:
        yield Difference("sharding", path, a.sharding, b.sharding)


def _strength(leaf: Leaf) -> str:
    what = {"scalar": "a Python number", "numpy": "a numpy array"}.get(leaf.kind, "an array")
    return f"{what} ({leaf})"


def _placed(leaf: Leaf) -> str:
    return "placed by device_put" if leaf.committed else "on the default device"
