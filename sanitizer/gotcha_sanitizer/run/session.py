"""One run of the sanitizer: hooks emit events, checks make findings, reporters show them."""

from __future__ import annotations

import os
import platform
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Any

from gotcha_lint import __version__
from gotcha_sanitizer.explain.recompile_causes import History
from gotcha_sanitizer.guard import Guard
from gotcha_sanitizer.hooks import Context, hooks
from gotcha_sanitizer.hooks.when_imported import when_imported
from gotcha_sanitizer.option_text import parse
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.reporters import text
from gotcha_sanitizer.run import lifetime, record
from gotcha_sanitizer.run.abort import abort
from gotcha_sanitizer.run.checking import Checking
from gotcha_sanitizer.run.notices import Notices
from gotcha_sanitizer.run.outcome import ExitCode, finish
from gotcha_sanitizer.run.recording import Recording
from gotcha_sanitizer.run.stream import as_json, avals
from gotcha_sanitizer.run.ticker import Ticker
from gotcha_sanitizer.values.events import Ended, Event, Explained, Program, Started, Tick
from gotcha_sanitizer.values.finding import Finding, as_dict

_current: Session | None = None


class Session:
    """The wire between hooks, checks and reporters; its methods may be called from any thread."""

    def __init__(
        self,
        options: Options,
        only: tuple[str, ...] = (),
        clock: Callable[[], float] = time.perf_counter,
        ticker: Ticker | None = None,
    ) -> None:
        self.options = options
        self.only = only  # names of hooks; none means all
        self.listeners: list[Callable[[Event], None]] = []
        self.forked = False
        self.keeps = False  # a small record of it is kept for `report --last`
        self.recording = Recording(
            options.log_path,
            self._start_event,
            self.now,
            self._say,
            whole=bool(options.html),
            most=options.log_size,
        )
        self.degraded = self.recording.degraded
        self.guard = Guard(self.degraded)
        self.history = History()
        self.ticker = ticker or Ticker()
        self._clock = clock
        self.notices = Notices(options)
        self.pid = os.getpid()
        self._began = clock()
        self._lock = threading.RLock()
        self._uninstall: list[Any] = []
        self._endings: list[Any] = []
        self._done = False
        self._keep_code: Callable[[], None] = lambda: None
        self.jax: Any = None
        self.notices.first_host = lambda: lifetime.is_first_host(self)
        self.checking = Checking(options, self.recording, self.notices, self.now)

    # -- life ----------------------------------------------------------------------------------

    def start(self) -> None:
        """Waits for JAX; a program that never imports it pays only this."""
        for problem in self.options.problems:
            self.notices.say(f"{problem}; the program runs on without it")
        if self.options.exitcode:
            self._keep_code = ExitCode(self).install()
        when_imported("jax", self._jax_came)

    def _jax_came(self, jax: ModuleType) -> None:
        if self._done:
            return
        try:
            self._install(jax)
        except Exception as error:
            self.degraded("start", f"{type(error).__name__}: {error}")
            self.notices.say(f"degraded: start: {self.run.degraded['start']}")

    def _install(self, jax: ModuleType) -> None:
        self.jax = jax
        self.checking.read_suppressions()
        self.recording.open()
        context = Context(
            jax=jax,
            emit=self.emit,
            guard=self.guard,
            now=self.now,
            degraded=self.degraded,
            options=self.options,
            every=lambda seconds, job: self.ticker.every(
                seconds, lambda: self.guard("ticker", job)
            ),
            at_end=self._endings.append,
            say=self.notices.show,
            report=self.report,
            finish=self.finish,
        )
        if self.options.html:  # an import as it exits would hide a Ctrl-C from Python
            import_module("gotcha_sanitizer.reporters.html")
        for hook in hooks():
            name = hook.__name__.rpartition(".")[2]
            if self.only and name not in self.only:
                continue
            try:
                self._uninstall.append(hook.install(context))
            except Exception as error:
                self.degraded(name, f"{type(error).__name__}: {error}")
        self.ticker.every(1.0, lambda: self.emit(Tick(self.now())))
        self._uninstall.append(lifetime.enter(self))

    def _start_event(self) -> dict[str, Any]:
        return {
            "event": "start",
            "at": 0.0,
            "time": time.time(),
            "version": __version__,
            "jax": getattr(self.jax, "__version__", "?"),
            "python": platform.python_version(),
            "platform": platform.platform(terse=True),
            "pid": self.pid,
            "argv": [] if self.options.redact else list(sys.argv),
            "checks": self.checking.names,
            "redact": self.options.redact,
        }

    def in_child(self) -> None:
        """A fork: the child keeps quiet about the parent's run and records its own."""
        self.pid = os.getpid()
        self.forked = True
        self.recording.in_child()
        self.history = History()
        self.checking.renew()
        self._lock = threading.RLock()
        self.notices.in_child()

    @property
    def run(self) -> record.Run:
        return self.recording.run

    @property
    def watches(self) -> bool:
        """False once it is over."""
        return not self._done

    def _say(self, text: str) -> None:
        self.notices.say(text)

    def now(self) -> float:
        return self._clock() - self._began

    def uninstall(self) -> None:
        """Takes every hook out again."""
        self.ticker.stop()
        while self._uninstall:
            try:
                self._uninstall.pop()()
            except Exception as error:
                self.degraded("stop", f"{type(error).__name__}: {error}")

    def finish(self) -> None:
        """The end of the program: the last checks, the summary, the report. Runs once."""
        if self._done or self.jax is None:
            return
        self._done = True
        self.ticker.stop()
        if self.forked and not self.run.rows and not self.run.findings:
            self.recording.drop()  # most workers have nothing to tell: no file for each of them
        for job in self._endings:
            self.guard("end", job)
        self.emit(Tick(self.now(), last=True))
        with self._lock:
            for finding in self.run.findings.values():
                self.recording.write(as_dict(finding) | {"event": "finding"})
        try:
            finish(self)
        except Exception as error:
            self.notices.say(f"degraded: report: {type(error).__name__}: {error}")
        self.recording.close()
        self.uninstall()

    def stop(self) -> None:
        """Ends the run before the program does; nothing is printed."""
        self.options = replace(self.options, quiet=True)
        self.finish()
        self._done = True
        self.uninstall()
        self._keep_code()
        self.notices.close()

    def renew(self) -> list[Finding]:
        """Forgets what earlier programs were compared with, as if a run began; the findings so far.

        The programs, seconds and degraded features are kept.
        """
        with self._lock:
            found = list(self.run.findings.values())
            self.run.findings = {}
            self.history = History()
            self.checking.renew()
            return found

    def report(self) -> str:
        """The report of the run so far, or of the whole run once it is over."""
        with self._lock:
            whole = record.summary(self.run)
            run = replace(self.run, summary=whole, last=self.run.last if self._done else self.now())
            return text.render(run, self.options, pid=self.pid)

    # -- events --------------------------------------------------------------------------------

    def emit(self, event: Event) -> None:
        """Takes an event of a hook; never raises."""
        try:
            with self._lock:
                self._take(event)
        except Exception as error:
            self.degraded("session", f"{type(error).__name__}: {error}")
        if self.options.abort_on and not self._done and not self.forked:
            abort(self)

    def _take(self, event: Event) -> None:
        if isinstance(event, Ended) and not self.recording.streams:
            self.run.last = max(self.run.last, event.at)  # a stage is for the file alone
        elif (row := as_json(event)) is not None:
            self.recording.add(row)
        self.checking.on(event)
        if isinstance(event, Program):
            explained: Explained = self.history.explain(event)
            if (leaves := avals(event, self.run.avals)) is not None:
                self.recording.add(leaves)
            self.recording.add(as_json(explained) or {})
            self.checking.on(explained)
            for listener in self.listeners:
                listener(explained)
            if self.forked or lifetime.is_worker():  # it may be killed without a word
                self.checking.write_grown()
                self.recording.so_far()
        elif isinstance(event, Tick):
            self.checking.write_grown()
            self.recording.flush()
        self.notices.on(event, self.run)
        if isinstance(event, (Started, Program)):
            self.ticker.start()  # with the first trace: its compile may hang


def start_from_environment(environ: Mapping[str, str]) -> Session:
    asked = environ.get("GOTCHA_SANITIZE", "1")
    session = start(parse(environ.get("GOTCHA_OPTIONS", ""), asked))
    session.keeps = True
    return session


def start(options: Options | None = None, only: tuple[str, ...] = ()) -> Session:
    """The session of this process: the running one, or a new one."""
    global _current
    if _current is None or not _current.watches:
        _current = Session(options or Options(), only)
        _current.start()
    return _current


def current() -> Session | None:
    return _current
