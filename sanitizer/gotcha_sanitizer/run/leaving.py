"""With which exit code the program ends, as far as that can be seen before it has ended.

From Python 3.12 on, an exception is seen as it leaves the outermost frame. On 3.11 `sys.exit`,
`exit` and `quit` are watched, and a `raise SystemExit(...)` only where we have started the program.
"""

from __future__ import annotations

import _sitebuiltins
import ast
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any, NoReturn

from gotcha_sanitizer.frames import file_of, owner
from gotcha_sanitizer.syntax import parse
from gotcha_sanitizer.values.parts import Site

_started: list[object] = []  # what a program that we have started ended with
_TOOLS = (3, 4)  # of sys.monitoring; hooks/calls.py takes the other one


def left(code: object) -> None:
    """The program is over; it has ended with this `SystemExit.code`."""
    _started.append(code)


class Leaving:
    """Watches the end of the program. `failed`: it ends with a code that is not 0.

    Where a look at it fails, `lost` is told why, and the program counts as failed: its exit code
    is then left as it is.
    """

    def __init__(self, lost: Callable[[Exception], None]) -> None:
        self._lost = lost
        self._failed = False
        self._main = threading.get_ident()
        self._exit = sys.exit
        self._quit = _sitebuiltins.Quitter.__call__
        self._tool = _free_tool()

    @property
    def failed(self) -> bool:
        crashed = getattr(sys, "last_value", None) is not None
        return crashed or (_is_failure(_started[-1]) if _started else self._failed)

    @property
    def unknown(self) -> Site | None:
        """A line that may have ended the program with a code that was not seen."""
        if self._tool is not None or _started:
            return None
        return next(_raises(), None)

    def install(self) -> Callable[[], None]:
        if self._tool is not None:
            monitoring: Any = sys.monitoring  # type: ignore[attr-defined]  # 3.12
            event = monitoring.events.PY_UNWIND
            monitoring.use_tool_id(self._tool, "gotcha exit code")
            monitoring.register_callback(self._tool, event, self._unwound)
            monitoring.set_events(self._tool, event)
            return self._free
        sys.exit = self._leave
        quitter: Any = _sitebuiltins.Quitter
        quitter.__call__ = lambda _, code=None: self._leave(code)
        return self._restore

    def _unwound(self, code: CodeType, offset: int, error: BaseException) -> None:
        if isinstance(error, SystemExit) and threading.get_ident() == self._main:
            frame = sys._getframe(1)
            if frame.f_back is None:
                self._note(error.code)

    def _note(self, code: object) -> None:
        try:
            self._failed = _is_failure(code)
        except Exception as fault:  # never into the program
            self._failed = True
            self._lost(fault)

    def _free(self) -> None:
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
        monitoring.set_events(self._tool, 0)
        monitoring.register_callback(self._tool, monitoring.events.PY_UNWIND, None)
        monitoring.free_tool_id(self._tool)

    def _leave(self, status: Any = None, /) -> NoReturn:
        self._note(status)
        self._exit(status)

    def _restore(self) -> None:
        if sys.exit == self._leave:
            sys.exit = self._exit
        _sitebuiltins.Quitter.__call__ = self._quit


def _is_failure(code: object) -> bool:
    """As Python itself takes it: what is no whole number is printed, and the code is 1.

    Neither `!=` nor `isinstance`: an object of the program's may raise in both.
    """
    whole = issubclass(type(code), int)
    return code is not None and not (whole and int.__eq__(code, 0))  # type: ignore[arg-type]


def _free_tool() -> int | None:
    monitoring: Any = getattr(sys, "monitoring", None)
    if monitoring is None:
        return None
    return next((tool for tool in _TOOLS if monitoring.get_tool(tool) is None), None)


def _raises() -> Iterator[Site]:
    """The lines of the program that raise SystemExit with what may be another code than 0."""
    for module in list(sys.modules.values()):
        path = file_of(module)
        if not path or owner(path) != "user":
            continue
        try:
            text = Path(path).read_text("utf-8")
        except (OSError, ValueError):
            continue
        tree = parse(text) if "SystemExit" in text else None
        nodes = ast.walk(tree) if tree is not None else ()
        raises = (node for node in nodes if isinstance(node, ast.Raise))
        yield from (Site(path, node.lineno) for node in raises if _may_fail(node))


def _may_fail(node: ast.Raise) -> bool:
    if not isinstance(node.exc, ast.Call):
        return False
    name, arguments = ast.unparse(node.exc.func), node.exc.args
    plain = all(isinstance(each, ast.Constant) and each.value in (None, 0) for each in arguments)
    return name == "SystemExit" and not plain
