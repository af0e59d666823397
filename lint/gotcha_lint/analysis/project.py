"""Which file, function or class a qualified name stands for, over all files of a project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, TypeVar

from gotcha_lint.analysis.asked import Asked, Kept
from gotcha_lint.analysis.summary import ClassSummary, FunctionSummary, Summary
from gotcha_lint.analysis.values import ClassId, FunctionId
from gotcha_lint.facts import Facts
from gotcha_lint.program.modules import ModuleIndex

T = TypeVar("T")
_DEPTH = 24  # of re-exports followed; cycles of imports are common
_OVERRIDES = 12  # more than that is a library's root class


class Symbol(NamedTuple):
    kind: Literal["external", "module", "function", "decorated", "class", "global", "member"]
    name: str = ""  # external: canonical qualified name; global, member: the name
    path: str = ""
    number: int = 0


Ancestry = tuple[tuple[ClassId, ...], frozenset[str]]


class Project:
    """All summaries, with names resolved across them. Plain data: it can be sent to workers."""

    def __init__(self, summaries: Mapping[str, Summary], facts: Facts) -> None:
        self.summaries = summaries
        self.facts = facts
        self.asked = Asked()  # on behalf of the file that is looked at now
        self._symbols: dict[tuple[str, str], tuple[Symbol, Kept]] = {}
        self._ancestors: dict[ClassId, tuple[Ancestry, Kept]] = {}

    @cached_property
    def index(self) -> ModuleIndex:
        return ModuleIndex(self.summaries, self.facts.libraries)

    def function(self, fid: FunctionId) -> FunctionSummary:
        self.asked.parts.add((fid[0], "functions", fid[1]))
        return self.summaries[fid[0]].functions[fid[1]]

    def cls(self, cid: ClassId) -> ClassSummary:
        self.asked.parts.add((cid[0], "classes", cid[1]))
        return self.summaries[cid[0]].classes[cid[1]]

    def stars(self, path: str) -> tuple[str, ...]:
        """The modules of which a file imports everything."""
        self.asked.parts.add((path, "stars", None))
        return self.summaries[path].stars

    def imports(self, path: str) -> frozenset[str]:
        """The qualified names that a file imports."""
        self.asked.parts.add((path, "imports", None))
        return self.summaries[path].imports

    def _named(self, path: str, name: str) -> str | tuple[str, int] | None:
        """What a name of a module stands for."""
        self.asked.parts.add((path, "names", name))
        return self.summaries[path].names.get(name)

    def symbol(self, name: str, importer: str) -> Symbol:
        """What a qualified name means in a file; names of no project file are external."""
        key = name, importer
        found = self._symbols.get(key)
        if found is None:
            found = self._symbols[key] = self._apart(lambda: self._resolve(name, importer, 0))
        self.asked.add_kept(found[1])
        return found[0]

    def _apart(self, compute: Callable[[], T]) -> tuple[T, Kept]:
        """With what was asked for it: what is kept is used for other files too."""
        outer, self.asked = self.asked, Asked()
        try:
            return compute(), self.asked.kept()
        finally:
            self.asked = outer

    def find(self, module: str, importer: str) -> str | None:
        """The file of a module."""
        self.asked.modules.add(module.rpartition(".")[2])
        return self.index.find(module, importer)

    def _resolve(self, name: str, importer: str, depth: int) -> Symbol:
        canonical = self.facts.canonical(name)
        external = Symbol("external", canonical)
        if depth > _DEPTH or canonical in self.facts.rows:
            return external
        dots = len(name) - len(name.lstrip("."))
        parts = name[dots:].split(".")
        for cut in range(len(parts), -1 if dots else 0, -1):
            module = "." * dots + ".".join(parts[:cut])
            path = self.find(module, importer)
            if path is None:
                continue
            if cut == len(parts):
                return self._shadowed(parts, dots, importer, path, depth)
            return self.member(path, parts[cut:], depth) or Symbol("external", canonical)
        return external

    def _shadowed(
        self, parts: list[str], dots: int, importer: str, path: str, depth: int
    ) -> Symbol:
        """`from .scan import scan` in a package hides its module `scan`, as in Python."""
        package = (
            self.find("." * dots + ".".join(parts[:-1]), importer) if parts[:-1] or dots else None
        )
        if package is not None and package != importer:
            how = self._named(package, parts[-1])
            if how is not None and how != ("assigned", 0):
                found = self.member(package, [parts[-1]], depth)
                if found is not None and found.kind in ("function", "decorated", "class"):
                    return found
        return Symbol("module", path=path)

    def member(self, path: str, parts: list[str], depth: int = 0) -> Symbol | None:
        """What dotted names stand for in a file; `depth` counts the re-exports followed."""
        how = self._named(path, parts[0])
        rest = parts[1:]
        if how is None:
            for star in self.stars(path):
                found = self.starred(star, ".".join(parts), path, depth + 1)
                if found is not None:
                    return found
            return None
        if isinstance(how, str):
            joined = how + "." + ".".join(rest) if rest else how
            return self._resolve(joined, path, depth + 1)
        kind, number = how
        if kind == "class":
            return self._of_class((path, number), rest)
        if rest:
            return None
        if kind == "assigned":
            return Symbol("global", parts[0], path)
        return Symbol("function" if kind == "def" else "decorated", parts[0], path, number)

    def starred(self, star: str, name: str, importer: str, depth: int = 0) -> Symbol | None:
        """What `from star import *` brings under a name: of a project file, its imports too."""
        whole = f"{star}.{name}" if star.strip(".") else star + name
        found = self._resolve(whole, importer, depth) if depth else self.symbol(whole, importer)
        if found.kind != "external" or found.name in self.facts.rows:
            return found
        if found.name == self.facts.canonical(whole):
            return None  # nothing is known of it
        path = self.find(star, importer)
        hidden = path is not None and self._named(path, "__all__") is not None
        return None if hidden or name.startswith("_") else found

    def _of_class(self, cid: ClassId, rest: list[str]) -> Symbol | None:
        if not rest:
            return Symbol("class", self.cls(cid).name, *cid)
        method = self.method(cid, rest[0])
        if method is not None and len(rest) == 1:
            return Symbol("function", rest[0], *method)
        return Symbol("member", ".".join(rest), *cid)

    def ancestors(self, cid: ClassId) -> Ancestry:
        """The project classes of a class's ancestry, itself first, and the names of the others."""
        found = self._ancestors.get(cid)
        if found is None:
            self._ancestors[cid] = ((cid,), frozenset()), ((), ())  # a cycle of bases ends here
            found = self._ancestors[cid] = self._apart(lambda: self._collect(cid))
        self.asked.add_kept(found[1])
        return found[0]

    def _collect(self, cid: ClassId) -> Ancestry:
        own: list[ClassId] = [cid]
        outside: set[str] = set()
        for base in self.cls(cid).bases:
            if isinstance(base, int):
                parent: Symbol = Symbol("class", "", cid[0], base)
            else:
                parent = self.symbol(base, cid[0])
            if parent.kind == "class" and (parent.path, parent.number) != cid:
                above, names = self.ancestors((parent.path, parent.number))
                own.extend(c for c in above if c not in own)
                outside |= names
            elif parent.kind == "external":
                outside.add(parent.name)
        return tuple(own), frozenset(outside)

    def method(self, cid: ClassId, name: str) -> FunctionId | None:
        for ancestor in self.ancestors(cid)[0]:
            number = self.cls(ancestor).methods.get(name)
            if number is not None:
                return ancestor[0], number
        return None

    @cached_property
    def _descendants(self) -> Mapping[ClassId, list[ClassId]]:
        found: dict[ClassId, list[ClassId]] = defaultdict(list)
        for path, summary in self.summaries.items():
            for number in range(len(summary.classes)):
                for ancestor in self.ancestors((path, number))[0][1:]:
                    found[ancestor].append((path, number))
        return found

    def descendants(self, cid: ClassId) -> frozenset[ClassId]:
        """The project classes below a class, in any file."""
        found, _ = self._apart(lambda: frozenset(self._descendants.get(cid, ())))
        self.cls(cid)
        self.asked.answers["descendants", cid] = found
        return found

    def overrides(self, cid: ClassId, name: str) -> frozenset[FunctionId]:
        """The methods of this name that classes below have, some from a mixin in front of this one.

        None where there are too many to follow.
        """
        found, _ = self._apart(lambda: self._overriding(cid, name))
        self.cls(cid)
        self.asked.answers["overrides", cid, name] = found
        return found

    def _overriding(self, cid: ClassId, name: str) -> frozenset[FunctionId]:
        own = self.method(cid, name)
        methods = (self.method(below, name) for below in self._descendants.get(cid, ()))
        found = frozenset(one for one in methods if one is not None and one != own)
        return found if len(found) <= _OVERRIDES else frozenset()

    def decorators(self, cid: ClassId) -> frozenset[str]:
        """Canonical names of the decorators of a class and of its project ancestors."""
        return frozenset(
            self.symbol(name, ancestor[0]).name or name
            for ancestor in self.ancestors(cid)[0]
            for name in self.cls(ancestor).decorators
        )

    def is_a(self, cid: ClassId, *names: str) -> bool:
        return not self.ancestors(cid)[1].isdisjoint(names)

    @cached_property
    def imported(self) -> ImportGraph:
        """Which files import which."""
        return ImportGraph(
            {
                path: sorted(
                    found
                    for name in summary.imports
                    if (
                        found := self.index.find(name, path)
                        or self.index.find(name.rpartition(".")[0] or name, path)
                    )
                )
                for path, summary in self.summaries.items()
            }
        )

    def waited_for(self, path: str) -> bool:
        """The file, or one that hangs together with it by imports, may wait for a save's end."""
        found = any(self.summaries[other].waits for other in self.imported.joined[path])
        self.asked.answers["waited_for", path] = found
        return found

    def explicit_near(self, path: str) -> bool:
        """The file, one that it imports, or one that imports it, is for meshes of explicit axes."""
        found = any(self.summaries[other].explicit for other in self.imported.near[path])
        self.asked.answers["explicit_near", path] = found
        return found


# Which files import which: who hangs together, who is near, who comes first


class ImportGraph:
    """`links` are the files that each file imports."""

    def __init__(self, links: Mapping[str, Sequence[str]]) -> None:
        self.links = links

    @cached_property
    def joined(self) -> Mapping[str, set[str]]:
        """All files that hang together with each one, itself among them."""
        groups = {path: {path} for path in self.links}
        for path, below in self.links.items():
            for other in below:
                small, large = sorted((groups[path], groups[other]), key=len)
                if small is not large:
                    large |= small
                    groups.update(dict.fromkeys(small, large))
        return groups

    @cached_property
    def near(self) -> Mapping[str, set[str]]:
        """Each file, those that it imports and those that import it."""
        near = {path: {path} for path in self.links}
        for path, below in self.links.items():
            for other in below:
                near[path].add(other)
                near[other].add(path)
        return near

    def depths(self) -> dict[str, int]:
        """How many imports lie below each file; files that import each other count as one step."""
        links, depth = self.links, dict[str, int]()
        for start in links:
            stack, entered = [start], set()
            while stack:
                path = stack[-1]
                if path in depth:
                    stack.pop()
                    continue
                below = [p for p in links[path] if p not in depth and p not in entered]
                if path in entered or not below:
                    depth[path] = 1 + max((depth[p] for p in links[path] if p in depth), default=-1)
                    stack.pop()
                entered.add(path)
                stack.extend(below if path not in depth else ())
        return depth
