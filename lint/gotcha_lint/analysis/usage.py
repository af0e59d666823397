"""What is known of a project when all of it is analysed: who runs, changes and keeps what."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from gotcha_lint.analysis.values import ClassId, FunctionId, Site

Steps = tuple[tuple[Site, str], ...]  # from the outermost: places, with the functions called there
Callers = Mapping[FunctionId, frozenset[FunctionId]]
_NONE: Mapping[Any, Any] = MappingProxyType({})


class Usage(NamedTuple):
    """Who runs a function: code that is not traced, and loops; and what classes hold."""

    hosted: frozenset[FunctionId] = frozenset()  # also called from code that is not traced
    hot: Mapping[FunctionId, Steps] = _NONE  # the loops that call what runs many times
    stored: Mapping[tuple[ClassId, str], frozenset[str]] = _NONE  # the methods that assign a field
    callers: Callers = _NONE
    updated: frozenset[tuple[FunctionId, str]] = frozenset()  # parameters: states updated once
    rerun: Mapping[FunctionId, Steps] = _NONE  # the loops around what a function is traced into


UNTOLD = Usage()  # while functions are still being analysed
