"""What is said while the program runs: single lines on standard error, few of them."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run.record import Run
from gotcha_sanitizer.values.events import Diverged, Ended, Event, Program, Started, Tick
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.rows import STAGES
from gotcha_sanitizer.values.words import place, seconds

_WORTH_SAYING = 5.0  # seconds of compiling before the end of the warm-up is announced


@dataclass
class _Running:
    started: Started
    told: float = 0.0


class Notices:
    """Writes to a copy of standard error: pytest and notebooks replace and close theirs."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._mute = options.quiet
        self._running: dict[int, _Running] = {}
        self._settled = False
        self._last_program = 0.0
        self._told: set[str] = set()
        self.first_host: Callable[[], bool] = lambda: True
        self._lock = threading.RLock()  # a signal's handler may come in between
        try:
            self.fd = os.dup(2)
        except OSError:  # started without a standard error
            self.fd = -1
            self._mute = True

    def be_quiet(self) -> None:
        """As with `quiet`, from now on."""
        self.options = replace(self.options, quiet=True)
        self._mute = True

    def in_child(self) -> None:
        """A fork: the child keeps quiet, and another thread may have held the lock."""
        self._mute = True
        self._lock = threading.RLock()
        self._running.clear()

    @property
    def colour(self) -> bool:
        wanted = self.options.color
        terminal = self.fd >= 0 and os.isatty(self.fd) and not os.environ.get("NO_COLOR")
        return wanted == "always" or (wanted == "auto" and terminal)

    @property
    def columns(self) -> int:
        """Of the terminal; 0 where there is none, or it does not say."""
        try:
            return os.get_terminal_size(self.fd).columns if self.fd >= 0 else 0
        except OSError:
            return 0

    def say(self, text: str) -> None:
        """One line, marked as ours and with the process it is about."""
        if not self._mute:
            self.write(f"=={os.getpid()}==gotcha: {text}\n")

    def announce(self, text: str) -> None:
        """As `say`, by the first host alone: all of them compile the same."""
        if not self._mute and self.first_host():
            self.say(text)

    def close(self) -> None:
        """Nothing more will be said."""
        with self._lock:
            fd, self.fd = self.fd, -1
            if fd >= 0:
                os.close(fd)

    def show(self, text: str) -> None:
        """Several lines, marked already."""
        if not self._mute:
            self.write(text)

    def write(self, text: str) -> None:
        if self.fd < 0:
            return
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()  # keeps the order of lines with the program's own
        with self._lock:
            data = text.encode("utf-8", "replace")
            while data:
                try:
                    data = data[os.write(self.fd, data) :]
                except OSError:  # the reader of a pipe is gone
                    return

    def found(self, finding: Finding) -> None:
        """A recompile that could be spared is told at once, once for each function and cause.

        Many begin as notes: it is told where it stops being one, after `warmup` compiles.
        """
        if finding.name != "recompile" or finding.severity == "info" or finding.id in self._told:
            return
        programs = finding.evidence.get("programs", 0)
        if isinstance(programs, int) and programs > self.options.warmup:
            self._told.add(finding.id)
            self.announce(f"{place(finding.site)}: {finding.name}: {finding.message}")

    def on(self, event: Event, run: Run) -> None:
        match event:
            case Started():
                self._running[event.program] = _Running(event)
            case Ended():
                self._running.pop(event.program, None)
            case Program():
                self._running.pop(event.number, None)
                self._last_program = event.at
            case Diverged():  # it was this host's to say
                head = "hosts differ, a probable hang: " if event.cause == "program" else ""
                self.say(f"{place(event.site)}: {head}{event.words}")
            case Tick():
                self._still(event.at)
                self._warm(event, run)

    def _still(self, now: float) -> None:
        """Tells a long compile from a program that hangs."""
        for running in list(self._running.values()):
            started = running.started
            took = now - started.at
            due = max(self.options.slow_compile, 2 * running.told)
            if took >= due:
                running.told = took
                verb = {"trace": "tracing", "lower": "lowering"}.get(started.stage, "compiling")
                shapes = f", {started.shapes}" if started.shapes else ""
                where = place(started.site)
                self.announce(f"still {verb} {started.function} ({where}), {took:.0f} s{shapes}")

    def _warm(self, tick: Tick, run: Run) -> None:
        """Says once that compiling seems to be over: as long a quiet as all of it took."""
        spent = sum(run.total(stage) for stage in STAGES)
        if self._settled or self._running or tick.last or spent < _WORTH_SAYING:
            return
        if tick.at - self._last_program > max(spent, _WORTH_SAYING):
            self._settled = True
            compiles = run.count("compiles")
            took = seconds(spent)
            quiet = seconds(tick.at - self._last_program)
            text = f"warm-up done: {compiles} compiles, {took}; none in the last {quiet}"
            self.announce(text)
