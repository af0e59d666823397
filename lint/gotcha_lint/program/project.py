"""Names of modules, and which file an import means (floor `program`)."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from gotcha_lint.program.modules import ModuleIndex


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A file as `import` sees it: `name` is its dotted name below the folder `root`.

    Two scripts in two folders may share a name, so files are told apart by `path` alone.
    """

    path: str
    root: str
    name: str
    is_package: bool


class Project:
    """The files of one run.

    A package is a folder with an `__init__.py`, whether or not that is one of the files. The folder
    that holds the topmost package, or the script, is the root: `src/` needs no settings, and the
    scripts of one folder see each other. `libraries`: names that a folder inside of a package does
    not take over, such as `jax` in `mine/jax/`.
    """

    def __init__(self, paths: Iterable[str], libraries: frozenset[str] = frozenset()) -> None:
        self._packages: dict[str, bool] = {}
        paths = list(paths)
        for path in paths:
            folder, base = os.path.split(os.path.abspath(path))
            if base == "__init__.py":
                self._packages[folder] = True
        self.files = {path: self._file(path) for path in paths}
        self._top: dict[str, list[str]] = defaultdict(list)
        for file in self.files.values():
            if file.is_package and "." not in file.name:
                self._top[file.name].append(file.path)
        self._index = ModuleIndex([path for path in paths if not _is_notebook(path)], libraries)
        for path in filter(_is_notebook, paths):  # it imports, and cannot be imported
            full = os.path.abspath(path).replace("\\", "/")
            self._index.parts[path] = tuple(full.rpartition(".")[0].split("/"))

    def find(self, module: str, importer: str, level: int = 0) -> str | None:
        """The file that `import module` means in the file `importer`; `level` counts the dots.

        `None`: no file of the project, or a folder without `__init__.py`. Stub files come last.
        """
        found = self._index.find("." * level + module, importer)
        if found is None and not level and "." not in module:
            return self._top_package(module, importer)
        return found

    def member(self, module: str, name: str, importer: str, level: int = 0) -> str | None:
        """The file that `name` is in `from module import name`, where it is a module."""
        return self.find(f"{module}.{name}" if module else name, importer, level)

    def _top_package(self, name: str, importer: str) -> str | None:
        """The `__init__.py` of a package that is in no other one, wherever; the nearest of many."""
        found = [file.path for file in self.files.values() if file.is_package and file.name == name]
        return max(found, key=lambda path: (_shared(path, importer), path), default=None)

    def _file(self, path: str) -> ProjectFile:
        full = os.path.abspath(path)
        folder, base = os.path.split(full)
        stem = os.path.splitext(base)[0]
        is_package = stem == "__init__"
        names = [] if is_package else [stem]
        while self._is_package(folder):
            folder, name = os.path.split(folder)
            names.append(name)
        return ProjectFile(path, folder, ".".join(reversed(names)) or stem, is_package)

    def _is_package(self, folder: str) -> bool:
        known = self._packages.get(folder)
        if known is None:
            exists = os.path.exists(os.path.join(folder, "__init__.py"))
            known = self._packages[folder] = exists and os.path.dirname(folder) != folder
        return known


def _is_notebook(path: str) -> bool:
    return path.endswith(".ipynb")


def _shared(one: str, other: str) -> int:
    """How many folders two paths have in common."""
    parts = [os.path.abspath(path).split(os.sep) for path in (one, other)]
    return next((i for i, (a, b) in enumerate(zip(*parts, strict=False)) if a != b), len(parts[0]))
