"""Runs a function right after a module's first import, so that nothing is imported early."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def when_imported(name: str, then: Callable[[ModuleType], None]) -> Callable[[], None]:
    """Calls `then(module)` now if the module is loaded, else as soon as it is.

    What it gives back ends the waiting.
    """
    if name in sys.modules:
        then(sys.modules[name])
        return lambda: None
    watch = _Watch(name, then)
    sys.meta_path.insert(0, watch)

    def cancel() -> None:
        if watch in sys.meta_path:
            sys.meta_path.remove(watch)

    return cancel


class _Watch(MetaPathFinder):
    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self.name, self.then = name, then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        sys.meta_path.remove(self)  # from here on the ordinary finders answer
        spec = importlib.util.find_spec(fullname)
        if spec is None:  # it may be installed later
            sys.meta_path.insert(0, self)
        elif spec.loader is not None:
            spec.loader = _After(spec.loader, self.then)
        return spec


class _After(Loader):
    """Stands in for a loader during one import, and is gone from the module afterwards."""

    def __init__(self, loader: Any, then: Callable[[ModuleType], None]) -> None:
        self.loader, self.then = loader, then

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.then(module)

    def __getattr__(self, name: str) -> Any:  # get_code, get_resource_reader, ...
        return getattr(self.loader, name)
