"""An error of our own, in one line."""

from __future__ import annotations

import sys
import traceback


def last_line() -> str:
    """The error being handled, in one line with its place."""
    error = sys.exc_info()[1]
    frame = traceback.extract_tb(error.__traceback__)[-1] if error else None
    where = f" ({frame.filename.rpartition('/')[2]}:{frame.lineno})" if frame else ""
    return f"{type(error).__name__}: {error}{where}"
