"""The variables of a running function, read so that nothing of them stays behind."""

from __future__ import annotations

import inspect
import sys
from types import FrameType
from typing import Any

_READS_LOCALS = {"locals", "vars", "eval", "exec", "dir", "breakpoint", "set_trace"}


def variables(frame: FrameType) -> dict[str, Any]:
    """Name -> value; of a module, or a class that is being made, all that it holds.

    Before Python 3.13 reading those of a function leaves a copy in its frame, which would keep the
    user's arrays alive: it is emptied again. It is also what `locals()` gives, so that functions
    that may have called that, or that a debugger traces, are passed over.
    """
    code = frame.f_code
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return dict(frame.f_locals)
    if frame.f_trace is not None or _READS_LOCALS & {*code.co_names}:
        return {}
    found = frame.f_locals
    names = (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
    values = {name: found[name] for name in names if name in found}
    if sys.version_info < (3, 13):
        found.clear()
    return values
