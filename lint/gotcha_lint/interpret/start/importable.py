"""The modules of the program, for questions to its text (see `program/links.py`)."""

from __future__ import annotations

import os
from collections.abc import Mapping

from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.ir import Module


class Modules:
    """The modules that a file may import."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.modules: Mapping[str, Module] = machine.modules

    def module_from(self, name: str, importer: str) -> str | None:
        return self._machine.module_from(name, importer)

    def is_certain(self, name: str, importer: str) -> bool:
        path = self._machine.module_from(name, importer)
        return self._is_beside(path, importer) or self._machine.is_certain_module(name)

    def _is_beside(self, path: str | None, importer: str) -> bool:
        """A module, or a package, in the same folder: a script finds that one first."""
        if path is None:
            return False
        folder, file = os.path.split(path)
        here = os.path.dirname(importer)
        return folder == here or (file == "__init__.py" and os.path.dirname(folder) == here)
