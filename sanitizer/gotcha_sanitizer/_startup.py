"""Called at the start of every Python process of the environment; keep it small and silent.

The call comes from gotcha_sanitizer.pth, or from gotcha_sanitizer.start on Python 3.15 and later.
Inside a virtual environment `site` reads its .pth files twice, so a second call does nothing.
"""

from __future__ import annotations

import os

_started = False


def start() -> None:
    """Starts the sanitizer if `GOTCHA_SANITIZE` asks for it; never raises."""
    global _started
    if _started or os.environ.get("GOTCHA_SANITIZE", "0") in {"", "0"}:
        return
    _started = True
    try:
        if os.environ["GOTCHA_SANITIZE"].lower() == "idle":
            from gotcha_sanitizer.run.idle import listen

            listen()
            return
        from gotcha_sanitizer.run.session import start_from_environment

        start_from_environment(os.environ)
    except Exception as error:  # a broken sanitizer must never stop the program it watches
        import sys

        print(f"gotcha: the sanitizer did not start: {error!r}", file=sys.stderr)
