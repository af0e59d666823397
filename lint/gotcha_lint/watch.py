"""`--watch`: lints again whenever a file changes, until Ctrl-C.

Files are polled: that needs no library, works on network disks, and costs one `stat` a file.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from datetime import datetime

from gotcha_lint.output import terminal

_PAUSE = 0.5  # seconds between two looks

Stamps = dict[str, tuple[int, int]]


def watch(
    once: Callable[[], int],
    files: Callable[[], Iterable[str]],
    *,
    clear: bool,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Calls `once` now and after each change of the files; the exit code of the last call.

    `clear`: an empty screen before each call but the first.
    """
    code = 0
    seen: Stamps | None = None
    try:
        while True:
            now = _stamps(files())
            if now != seen:
                if clear and seen is not None:
                    terminal.out("\x1b[2J\x1b[H")
                seen = now
                code = once()
                terminal.note(f"{datetime.now():%H:%M:%S} waiting for changes (Ctrl-C ends)")
            sleep(_PAUSE)
    except KeyboardInterrupt:
        return code


def _stamps(files: Iterable[str]) -> Stamps:
    """Time and size of each file; one that is gone meanwhile has none."""
    stamps: Stamps = {}
    for path in files:
        try:
            found = os.stat(path)
        except OSError:
            continue
        stamps[path] = found.st_mtime_ns, found.st_size
    return stamps
