"""`GOTCHA_SANITIZE=idle`: a process that starts the sanitizer when `gotcha-sanitize attach` asks.

Nothing of JAX is touched until then; the handler of one signal is all there is.
"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

NUMBER = getattr(signal, "SIGUSR2", None)  # Windows has none


def listen() -> bool:
    """True where the signal is ours now: nobody else has a use for it."""
    if NUMBER is None or threading.current_thread() is not threading.main_thread():
        return False
    if signal.getsignal(NUMBER) != signal.SIG_DFL:
        return False
    signal.signal(NUMBER, _begin)
    return True


def _begin(*_: object) -> None:
    """In the main thread; never raises into the program."""
    try:
        begin()
    except Exception as error:
        import sys

        print(f"gotcha: the sanitizer did not start: {error!r}", file=sys.stderr)


def begin() -> None:
    """Starts the sanitizer in this process, with the options of its environment."""
    from gotcha_sanitizer.run.session import start_from_environment

    if os.environ.get("GOTCHA_SANITIZE", "") in {"", "0", "idle"}:
        os.environ["GOTCHA_SANITIZE"] = "1"
    session = start_from_environment(os.environ)
    session.ticker.start()
    session.notices.say("attached: what was compiled before is not known")


def listens(pid: int) -> bool:
    """Does the process catch the signal? Raises OSError where there is none, or it is another's."""
    os.kill(pid, 0)
    status = Path(f"/proc/{pid}/status")
    if NUMBER is None or not status.exists():
        return False
    for line in status.read_text("ascii", "replace").splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (NUMBER - 1) & 1)
    return False
