"""What a program may call: watch a block for recompiles, ask for a function's programs.

Everything here works whether or not `GOTCHA_SANITIZE` is set: where no session runs, a quiet one
watches the block alone, and is taken out again after it.
"""

from __future__ import annotations

import functools
import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import TracebackType
from typing import Any

from gotcha_sanitizer.hooks import self_tests
from gotcha_sanitizer.hooks.jaxpr import jaxprs
from gotcha_sanitizer.option_text import parse
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import session
from gotcha_sanitizer.user.compiled import Compiled, from_event, from_row, inlined, message
from gotcha_sanitizer.values.events import Event, Explained
from gotcha_sanitizer.values.parts import Function
from gotcha_sanitizer.values.words import plural

_EYES = ["compiling", "compile events", "session", "start", "check recompile"]
_EYES += [name.feature for name in (*self_tests.NAMES, *jaxprs.NAMES) if name.counts]


class Recompiled(AssertionError):
    """Something was compiled that should not have been; `programs` says what and why."""

    def __init__(self, message: str, programs: tuple[Compiled, ...]) -> None:
        super().__init__(message)
        self.programs = programs


class NotWatching(RuntimeError):
    """Compiles before the sanitizer started are unknown."""


def start(options: Options | str | None = None) -> None:
    """Starts the sanitizer in this process; does nothing where it runs already.

    `options` may be written as in `GOTCHA_OPTIONS`: `"log_path=run.jsonl:quiet=1"`.
    """
    session.start(parse(options) if isinstance(options, str) else options)


def stop() -> None:
    """Takes the sanitizer out again. Prints nothing: `report()` still gives the whole run."""
    if (running := session.current()) is not None:
        running.stop()


def report() -> str:
    """The report of the run so far; raises NotWatching where there was none."""
    return _last_session().report()


def history(fn: Callable[..., Any]) -> tuple[Compiled, ...]:
    """The programs compiled for a function (jitted or not), in order, with causes and seconds.

    New objects of the same source, such as a lambda in a loop, are one function. Of more than 256
    only the first are kept, unless the page (`html=`) was asked for. Raises NotWatching
    where no session watched: an empty tuple means that nothing was compiled for it alone. Where it
    became a part of other jitted functions' programs, a RuntimeWarning says of which.
    """
    function = _identity(fn)
    defined = [function.site.path, function.site.line] if function.site else None
    run = _last_session().run
    found = tuple(
        from_row(row)
        for row in run.programs
        if not row["eager"]
        and row["function"] == function.name
        and (defined is None or row["defined"] == defined)
    )
    if function.site and not found and (part := run.inlined.get(function.site[:2])):
        warnings.warn(f"`{function.name}` is {part}", RuntimeWarning, stacklevel=2)
    return found


def no_recompile(*, allow: int | None = None, warmup: int | None = None) -> NoRecompile:
    """A block in which nothing may be compiled again: `with no_recompile(): train(...)`.

    A function that had been compiled before the block must not be compiled in it, and one that is
    new to it only once. Where the sanitizer did not run before the block, what was compiled earlier
    cannot be known, and every compile of a jitted function counts.

    `warmup=n` puts the warm-up inside the block: the first n compiles of each function that the
    sanitizer sees are free.
    `allow=n` counts every compile of the block, first ones and operations outside of jit included,
    and lets n pass; `allow=0` means that nothing at all compiles.

    At its end the block raises Recompiled, unless its body raised something itself.
    """
    return NoRecompile(allow, warmup)


def budget(fn: Callable[..., Any], compiles: int = 1) -> Budget:
    """A block in which one function (jitted or not) may be compiled `compiles` times.

    At its end it raises Recompiled where the function was compiled more often; `check()` does so
    at once, and `spent` is the count so far.
    """
    return Budget(fn, compiles)


class _Watch(ABC):
    """Listens to the programs that are made while a block runs."""

    def __init__(self) -> None:
        self._seen: list[Explained] = []
        self._lock = threading.Lock()
        self._session: session.Session | None = None
        self._own = False

    def __enter__(self) -> Any:
        self._seen = []
        self._session, self._own = _running()
        self._session.listeners.append(self._listen)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        watched = self._session
        assert watched is not None
        watched.listeners.remove(self._listen)
        unseen = "; ".join(filter(None, (blind(watched), self._inlined())))
        if self._own:
            watched.stop()
        if kind is not None:
            return
        if unseen:
            told = f"gotcha could not see all compiles: {unseen}"
            warnings.warn(told, RuntimeWarning, stacklevel=2)
        self.check()

    def _listen(self, event: Event) -> None:
        if isinstance(event, Explained) and event.program.called:
            with self._lock:
                self._seen.append(event)

    def _inlined(self) -> str:
        """Why nothing was counted, though something was compiled."""
        return ""

    @abstractmethod
    def _wrong(self) -> list[Explained]:
        """The programs that should not have been made."""

    @abstractmethod
    def _headline(self, count: int) -> str:
        """What is wrong, in a line."""

    def check(self) -> None:
        """Raises Recompiled if the block has had too many compiles so far."""
        with self._lock:
            wrong = self._wrong()
        if wrong:
            made = tuple(from_event(each) for each in wrong)
            raise Recompiled(message(self._headline(len(wrong)), made), made)


class NoRecompile(_Watch):
    """See no_recompile."""

    def __init__(self, allow: int | None, warmup: int | None) -> None:
        super().__init__()
        self.allow, self.warmup = allow, warmup

    def _wrong(self) -> list[Explained]:
        if self.allow is not None:
            return self._seen if len(self._seen) > self.allow else []
        return [each for each in self._seen if self._is_again(each)]

    def _is_again(self, event: Explained) -> bool:
        if self.warmup is not None:
            return event.variants > self.warmup
        unknown = self._own and not event.program.eager
        return bool(event.differences) or unknown

    def _headline(self, count: int) -> str:
        if self.allow is not None:
            limit = "nothing may compile" if self.allow == 0 else f"at most {self.allow} may"
            return f"{plural(count, 'program')} compiled in a block in which {limit}"
        what = f"{plural(count, 'program')} compiled in a block without recompiles"
        if not self._own:
            return what
        return f"{what}; to see what changed since before it, call gotcha_sanitizer.start() earlier"


class Budget(_Watch):
    """See budget."""

    def __init__(self, fn: Callable[..., Any], compiles: int) -> None:
        super().__init__()
        self.compiles = compiles
        self._function = _identity(fn)

    @property
    def spent(self) -> int:
        """Compiles of the function so far."""
        with self._lock:
            return len(self._mine())

    @property
    def programs(self) -> tuple[Compiled, ...]:
        """What was compiled for the function so far."""
        with self._lock:
            return tuple(from_event(each) for each in self._mine())

    def _mine(self) -> list[Explained]:
        return [each for each in self._seen if each.program.function.key == self._function.key]

    def _inlined(self) -> str:
        with self._lock:
            return "" if self._mine() else inlined(self._function, self._seen)

    def _wrong(self) -> list[Explained]:
        mine = self._mine()
        return mine if len(mine) > self.compiles else []

    def _headline(self, count: int) -> str:
        return f"`{self._function.name}` was compiled {count} times, {self.compiles} expected"


def blind(watched: session.Session) -> str:
    """Why compiles may have gone unseen; empty where all is well."""
    degraded = watched.run.degraded
    return "; ".join(f"{name}: {degraded[name]}" for name in _EYES if name in degraded)


def _running() -> tuple[session.Session, bool]:
    """The session that runs, or a quiet one for a block, and whether it is that."""
    running = session.current()
    if running is not None and running.watches:
        return running, False
    import jax  # noqa: F401  # a block that is to be watched is about to use it

    return session.start(Options(quiet=True, checks=("recompile",)), only=("compiling",)), True


def _last_session() -> session.Session:
    known = session.current()
    if known is None:
        why = "no session of the sanitizer has run in this process"
        raise NotWatching(f"{why}: set GOTCHA_SANITIZE=1, or call gotcha_sanitizer.start() first")
    return known


def _identity(fn: Callable[..., Any]) -> Function:
    """The function as the hooks know it, whether it is jitted, wrapped or plain."""
    from gotcha_sanitizer.hooks.identity import identify

    inner = fn
    while isinstance(inner, functools.partial):
        inner = inner.func
    return identify(fn, getattr(inner, "__name__", None) or type(inner).__name__)[0]
