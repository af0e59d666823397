"""Which files a run has to read: the asked ones, and the project around them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from gotcha_lint.config.settings import DEFAULT_EXCLUDES
from gotcha_lint.facts import library_names
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.user import UserFact
from gotcha_lint.files import screen
from gotcha_lint.program.import_graph import ImportGraph
from gotcha_lint.program.modules import ModuleIndex

_MARKERS = (".git", "pyproject.toml", "gotcha.toml", "setup.py", "setup.cfg")
# At the top of a download without `.git`, the surer ones first: a README lies in many folders.
_TOP = (
    ("requirements.txt", "environment.yml", "environment.yaml", "LICENSE", "LICENSE.md"),
    ("README.md", "README.rst", "README"),
)
_SITE = ("site-packages", "dist-packages")


@dataclass(frozen=True, slots=True)
class Workspace:
    """The files of a run, by the path that findings show."""

    asked: tuple[str, ...]
    raw: Mapping[str, bytes]  # of every file that has to be parsed
    unreadable: Mapping[str, str]  # asked files that could not be read, with the reason
    skipped: Mapping[str, bytes]  # asked files that the screen left out
    components: tuple[frozenset[str], ...]  # of `raw`: files that imports join
    links: Mapping[str, Collection[str]]  # which of them each imports
    rows: Mapping[str, UserFact] = field(default_factory=dict)  # of functions elsewhere

    def without(self, paths: Collection[str]) -> Workspace:
        """Leaves out whole components."""
        raw = {path: raw for path, raw in self.raw.items() if path not in paths}
        parts = tuple(part for part in self.components if part.isdisjoint(paths))
        return replace(self, raw=raw, components=parts)

    def around(self, path: str, most: int) -> tuple[Workspace, int]:
        """A file, files that import it at any distance, and all that these import.

        Of the importers `most`, the nearest and tests last; also returns how many are left out.
        """
        own = next((part for part in self.components if path in part), frozenset((path,)))
        graph = ImportGraph({name: self.links.get(name, ()) for name in own})
        importers = sorted(graph.nearest_importers(path), key=is_test)
        near = frozenset((path, *importers[:most]))
        part = near.union(*(graph.closures[name] for name in near))
        raw = {name: text for name, text in self.raw.items() if name in part}
        parts = (frozenset(raw),) if raw else ()
        return replace(self, raw=raw, components=parts), len(importers[most:])


@lru_cache(maxsize=4096)
def root_of(directory: str) -> str:
    """The project's root for the files of a directory: what it holds is one program.

    The nearest directory with a marker; in site-packages the distribution's own folder; else the
    working directory (a home or scratch directory is no project), the nearest directory that looks
    like the top of a repository, or the parent of the topmost package. It depends on the file
    alone, so that a file has the same findings alone and with its whole tree.
    """
    above = _with_parents(directory)
    for current, parent in pairwise((*above, above[-1])):
        if os.path.basename(parent) in _SITE or os.path.basename(current) in _SITE:
            return current
        if _is_marked(current) and current not in _no_projects():
            return current
    working = os.getcwd()
    if _is_below(directory, working) and not any(_is_below(d, working) for d in _no_projects()):
        return working
    for names in _TOP:
        for current in above:
            if any(_is_below(d, current) for d in _no_projects()):
                break
            if any(_has(current, name) for name in names):
                return current
    return next((d for d in above if not _has(d, "__init__.py")), above[-1])


def _with_parents(directory: str) -> list[str]:
    found = [directory]
    while (parent := os.path.dirname(found[-1])) != found[-1]:
        found.append(parent)
    return found


def _is_marked(directory: str) -> bool:
    return any(_has(directory, marker) for marker in _MARKERS)


def _has(directory: str, name: str) -> bool:
    return os.path.exists(os.path.join(directory, name))


def _is_below(directory: str, other: str) -> bool:
    return directory == other or directory.startswith(other.rstrip(os.sep) + os.sep)


def _no_projects() -> tuple[str, ...]:
    """Home and scratch directories: neither they nor their parents are the root of a project."""
    return os.path.expanduser("~"), tempfile.gettempdir()


def gather(
    asked: Sequence[str],
    overlay: Mapping[str, bytes],
    extra: frozenset[str],
    use_screen: bool,
    discover: Callable[[str], Iterable[str]] | None = None,
    rows: Mapping[str, UserFact] | None = None,
) -> Workspace:
    """Reads the asked files and those of their projects; keeps what has to be parsed."""
    shown = {os.path.abspath(path): path for path in asked}
    raw: dict[str, bytes] = {}
    unreadable: dict[str, str] = {}
    skipped: dict[str, bytes] = {}
    components: list[frozenset[str]] = []
    links: dict[str, frozenset[str]] = {}
    by_root: dict[str, list[str]] = {}
    for full in shown:
        by_root.setdefault(root_of(os.path.dirname(full)), []).append(full)
    for root, wanted in by_root.items():
        contents = _read_all(root, wanted, overlay, shown, unreadable, discover or project_files)
        parts, own = _parts(contents, wanted, extra, use_screen)
        keep = set().union(*parts)
        components.extend(frozenset(_name(full, shown) for full in part) for part in parts)
        left_out = (full for full in wanted if full in contents and full not in keep)
        skipped.update({shown[full]: contents[full] for full in left_out})
        for full in sorted(keep):
            raw[_name(full, shown)] = contents[full]
        names = {full: _name(full, shown) for full in keep}
        for full, name in names.items():
            links[name] = frozenset(names[t] for t in own.get(full, ()) if t in names)
    return Workspace(tuple(asked), raw, unreadable, skipped, tuple(components), links, rows or {})


def _name(full: str, shown: Mapping[str, str]) -> str:
    return shown[full] if full in shown else shown_name(full)


def shown_name(full: str) -> str:
    """A project's other files are shown relative to the working directory."""
    relative = os.path.relpath(full)
    return full if relative.startswith("..") else relative


def _read_all(
    root: str,
    wanted: Sequence[str],
    overlay: Mapping[str, bytes],
    shown: Mapping[str, str],
    unreadable: dict[str, str],
    discover: Callable[[str], Iterable[str]],
) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    for full in wanted:
        if shown[full] in overlay:
            contents[full] = overlay[shown[full]]
            continue
        try:
            with open(full, "rb") as file:
                contents[full] = file.read()
        except OSError as error:
            unreadable[shown[full]] = error.strerror or str(error)
    for full in discover(root):
        if full not in contents and full not in shown:
            try:
                with open(full, "rb") as file:
                    contents[full] = file.read()
            except OSError:
                continue  # not asked for: it only cannot help
    return contents


def project_files(root: str) -> Iterable[str]:
    """The Python files below a project's root, without what is never part of a program.

    In a directory that no marker makes a project, those with one are projects of their own. In a
    home or scratch directory only packages count.
    """
    stack, scattered, packages = [root], not _is_marked(root), root in _no_projects()
    while stack:
        try:
            entries = sorted(os.scandir(stack.pop()), key=lambda e: e.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.name in DEFAULT_EXCLUDES:
                continue
            if entry.is_dir(follow_symlinks=False):
                apart = (scattered and _is_marked(entry.path)) or _has(entry.path, "pyvenv.cfg")
                if not apart and (not packages or _has(entry.path, "__init__.py")):
                    stack.append(entry.path)
            elif entry.name.endswith(".py") and entry.is_file():
                yield entry.path


def imports(contents: Mapping[str, bytes]) -> dict[str, set[str]]:
    """Which of the files each of them imports."""
    index = ModuleIndex(contents, library_names())
    known: dict[tuple[str, str], str | None] = {}
    links: dict[str, set[str]] = {}
    for full, raw in contents.items():
        directory = os.path.dirname(full)
        targets: set[str] = set()
        for name in screen.imported_names(screen.code(full, raw)):
            if name.rpartition(".")[2] not in index.by_last:
                continue
            key = name, full if name.startswith(".") else directory
            if key not in known:
                known[key] = index.find(name, full)
            target = known[key]
            if target is not None and target != full:
                targets.add(target)
        links[full] = targets
    return links


def _parts(
    contents: Mapping[str, bytes], wanted: Iterable[str], extra: frozenset[str], use_screen: bool
) -> tuple[list[set[str]], dict[str, set[str]]]:
    """What has to be parsed: the components of the wanted files, among files connected to JAX.

    With the imports of all files.
    """
    files = contents.keys()
    if use_screen:
        files = {full for full, raw in contents.items() if screen.mentions(raw, extra)}
    if not files or len(contents) == 1:
        return [{full} for full in files], {}
    links = imports(contents)
    if use_screen:
        files = set().union(*screen.components(contents, links, files))
    return screen.components(files, links, (full for full in wanted if full in files)), links
