"""`GOTCHA_SANITIZE=idle`: a process that starts the sanitizer when `gotcha-sanitize attach` asks.

Nothing of JAX is touched until then; the handler of one signal is all there is.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType

NUMBER = getattr(signal, "SIGUSR2", None)  # Windows has none
_PERIOD = 0.01  # seconds until the next look, where JAX is at work
_PATIENCE = 5.0  # seconds after which it begins all the same
_JAX, _LOCKED = {"jax", "jaxlib"}, "jax._src.xla_bridge"


def listen() -> bool:
    """True where the signal is ours now: nothing else has a use for it."""
    if NUMBER is None or threading.current_thread() is not threading.main_thread():
        return False
    if signal.getsignal(NUMBER) != signal.SIG_DFL:
        return False
    signal.signal(NUMBER, _begin)
    return True


def _begin(_: int, frame: FrameType | None) -> None:
    """In the main thread; never raises into the program."""
    begin(frame)


def begin(frame: FrameType | None, deadline: float = 0.0) -> None:
    """Starts the sanitizer in this process, as soon as `frame` is not inside of JAX.

    A signal interrupts any line of Python. One in JAX may hold a lock, which the hooks that are
    set here would wait for in the same thread, for ever. `deadline`: of the monotonic clock, when
    it starts all the same (a decorator of JAX may stand around the whole program).
    """
    deadline = deadline or time.monotonic() + _PATIENCE
    if _is_in_jax(frame, time.monotonic() < deadline) and _again(deadline):
        return
    try:
        _start()
    except Exception as error:
        print(f"gotcha: the sanitizer did not start: {error!r}", file=sys.stderr)


def _again(deadline: float) -> bool:
    """Looks again soon, in the main thread too, by another signal. False where there is none."""
    if NUMBER is None:
        return False
    number, before = NUMBER, signal.getsignal(NUMBER)
    if before is None:  # a handler that is not Python's
        return False

    def handle(_: int, frame: FrameType | None) -> None:
        signal.signal(number, before)
        begin(frame, deadline)

    signal.signal(number, handle)
    timer = threading.Timer(_PERIOD, os.kill, (os.getpid(), number))
    timer.daemon = True
    timer.start()
    return True


def _is_in_jax(frame: FrameType | None, anywhere: bool) -> bool:
    """Not `anywhere`: in the module alone that holds its lock while a backend starts."""
    while frame is not None:
        module = frame.f_globals.get("__name__")
        if module == _LOCKED or (anywhere and str(module).partition(".")[0] in _JAX):
            return True
        frame = frame.f_back
    return False


def _start() -> None:
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
