"""Which file of a project a dotted module name stands for."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterable


class ModuleIndex:
    """Finds the file of a module by its dotted name, as seen from another file.

    A directory counts as a place to import from when it is above the importing file, or holds the
    topmost package of the module: so `src/` layouts and plain scripts both work without settings.
    What is inside a package and named as one of the `libraries`, or as a module of Python itself,
    is never meant: `aqt/jax/`, `brax/math.py`.
    """

    def __init__(self, paths: Iterable[str], libraries: frozenset[str] = frozenset()) -> None:
        self.libraries = libraries
        self.by_last: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        self.packages: set[tuple[str, ...]] = set()
        self.parts: dict[str, tuple[str, ...]] = {}
        self._found: dict[tuple[str, str], str | None] = {}
        for path in paths:
            parts = tuple(os.path.abspath(path).replace("\\", "/").split("/"))
            name = parts[-1].rpartition(".")[0]
            if name == "__init__":
                self.packages.add(parts[:-1])
                parts = parts[:-1]
            else:
                parts = (*parts[:-1], name)
            self.parts[path] = parts
            if parts:
                self.by_last[parts[-1]].append((parts, path))

    def is_package(self, path: str) -> bool:
        return path.rpartition("/")[2].startswith("__init__.")

    def absolute(self, name: str, importer: str) -> tuple[str, ...] | None:
        """The path parts that a relative import points at, else None."""
        level = len(name) - len(name.lstrip("."))
        if not level:
            return None
        base = self.parts.get(importer, ())
        if self.is_package(importer):
            level -= 1
        base = base[: len(base) - level] if level else base
        rest = tuple(part for part in name.lstrip(".").split(".") if part)
        return (*base, *rest)

    def find(self, name: str, importer: str) -> str | None:
        """The file that this name stands for in the importer."""
        key = name, importer
        if key not in self._found:
            self._found[key] = self._find(name, importer)
        return self._found[key]

    def _find(self, name: str, importer: str) -> str | None:
        exact = self.absolute(name, importer)
        if exact is not None:
            found = [
                path
                for parts, path in self.by_last.get(exact[-1] if exact else "", ())
                if parts == exact
            ]
            return min(found, default=None, key=self._order)
        wanted = tuple(name.split("."))
        here = self.parts.get(importer, ())
        best: tuple[int, bool, bool, str] | None = None
        for parts, path in self.by_last.get(wanted[-1], ()):
            if parts[len(parts) - len(wanted) :] != wanted:
                continue
            root = parts[: len(parts) - len(wanted)]
            if path == importer and self._is_inside_a_package(root):
                continue  # `import wandb` in `package/wandb.py`; a script may import itself
            above = here[: len(root)] == root
            known = wanted[0] in self.libraries or wanted[0] in sys.stdlib_module_names
            if known and self._is_inside_a_package(root):
                continue
            if not above and (root in self.packages or (len(wanted) == 1 and root != here[:-1])):
                continue
            shared = sum(1 for a, b in zip(root, here, strict=False) if a == b)
            rank = (-shared - above, *self._order(path))
            best = rank if best is None else min(best, rank)
        return best[-1] if best else None

    def _order(self, path: str) -> tuple[bool, bool, str]:
        """Python takes `a/__init__.py` before `a.py`; stubs come last."""
        return path.endswith(".pyi"), not self.is_package(path), path

    def is_sole(self, name: str, importer: str) -> bool:
        """Does the name stand for one file of the project alone, from wherever it is run?"""
        if name.startswith("."):
            return True
        wanted = tuple(name.split("."))
        ends = [
            parts
            for parts, _ in self.by_last.get(wanted[-1], ())
            if parts[len(parts) - len(wanted) :] == wanted
        ]
        roots = [parts[: len(parts) - len(wanted)] for parts in ends]
        return len(roots) == 1 and not self._is_inside_a_package(roots[0])

    def _is_inside_a_package(self, root: tuple[str, ...]) -> bool:
        """Empty `__init__.py` are not among the files that are analysed: the disk is asked."""
        return root in self.packages or os.path.exists("/".join((*root, "__init__.py")))
