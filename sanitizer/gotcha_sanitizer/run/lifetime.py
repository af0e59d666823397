"""How a session meets forks, worker processes and the end of its process."""

from __future__ import annotations

import atexit
import os
import sys
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING

from gotcha_sanitizer.hooks.when_imported import when_imported

if TYPE_CHECKING:
    from multiprocessing.util import Finalize

    from gotcha_sanitizer.run.watched import Watched

# One registration for all sessions: what is registered for forks can never be taken out again.
_sessions: weakref.WeakSet[Watched] = weakref.WeakSet()
_registered: list[bool] = []


def enter(session: Watched) -> Callable[[], None]:
    """Has the session told of all that; what it returns ends this."""
    if not _registered:
        _registered.append(True)
        os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
    _sessions.add(session)
    atexit.register(session.finish)
    end: list[Finalize] = []

    def workers(util: ModuleType) -> None:
        end.append(_at_worker_end(session))
        # A worker of multiprocessing forgets its finalizers as it starts, however it was started.
        util.register_after_fork(session, _at_worker_end)

    # A program without it has no workers.
    cancel = when_imported("multiprocessing.util", workers)

    def leave() -> None:
        _sessions.discard(session)
        atexit.unregister(session.finish)
        cancel()
        while end:
            end.pop().cancel()

    return leave


def is_worker() -> bool:
    """True in the processes that multiprocessing starts."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


def is_first_host(session: Watched) -> bool:
    """True also where it is not known, as before JAX has started."""
    from gotcha_sanitizer.hooks import internals

    try:
        return session.jax is None or internals.process_index(session.jax) in (None, 0)
    except Exception as error:
        session.degraded("process index", f"{type(error).__name__}: {error}")
        return True


def _at_worker_end(session: Watched) -> Finalize:
    """Workers of multiprocessing leave without atexit."""
    from multiprocessing.util import Finalize

    return Finalize(session, session.finish, exitpriority=-1)


def _each(act: Callable[[Watched], None]) -> None:
    """At a fork, where what is raised would be printed in the middle of the program's output."""
    for session in list(_sessions):
        try:
            act(session)
        except Exception as error:
            session.degraded("forks", f"{type(error).__name__}: {error}")


def _before() -> None:
    def pause(session: Watched) -> None:
        session.ticker.pause()
        session.recording.flush()  # or a child would write the rest of our buffer once more

    _each(pause)


def _in_parent() -> None:
    _each(lambda session: session.ticker.resume())


def _in_child() -> None:
    def begin(session: Watched) -> None:
        session.ticker.forget()
        session.in_child()

    _each(begin)
