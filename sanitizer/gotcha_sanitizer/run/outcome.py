"""What happens at the end of a run: the summary, the report, the page, the exit code."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import last_runs, lifetime
from gotcha_sanitizer.run.leaving import Leaving
from gotcha_sanitizer.run.os_errors import in_words
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.words import place, short

if TYPE_CHECKING:
    from gotcha_sanitizer.run.watched import Watched


def finish(session: Watched) -> None:
    """Writes all that was asked for. Hosts but the first keep their report to their record."""
    options = session.options
    session.guard("summary", session.recording.end, session.guard.spent)
    if not session.notices.options.quiet and not options.quiet and _speaks(session):
        session.guard("report", _show, session)
        if why := session.run.degraded.get("report"):
            session.notices.say(f"degraded: report: {why}")
    if session.recording.file and _speaks(session):
        session.notices.say(f"the record of this run: {short(session.recording.file)}")
    if options.html and (not _is_child(session) or "%p" in options.html):
        session.guard("html", _write_page, session)
    if (
        session.keeps
        and session.run.rows
        and not _is_child(session)
        and lifetime.is_first_host(session)
    ):
        session.guard("last run", _keep, session)


def _show(session: Watched) -> None:
    from gotcha_sanitizer.reporters import text

    colour = session.notices.colour
    written = text.render(
        session.run,
        session.options,
        colour,
        session.pid,
        at_end=True,
        columns=session.notices.columns,
    )
    session.notices.write(written)


def _speaks(session: Watched) -> bool:
    """A forked process is silent, a worker of a pool only speaks of findings."""
    if session.forked or (lifetime.is_worker() and not session.run.problems):
        return False
    return lifetime.is_first_host(session)


def _is_child(session: Watched) -> bool:
    return session.forked or lifetime.is_worker()


def _write_page(session: Watched) -> None:
    from gotcha_sanitizer.reporters import html

    path = Path(session.options.html.replace("%p", str(os.getpid())))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(path.name + ".part")
        unfinished.write_text(html.render(session.run), "utf-8")
        unfinished.replace(path)
    except Exception as error:  # a full disk, or a fault of ours: the report must still come out
        session.notices.say(f"html: {path}: {in_words(error)}")
        return
    if _speaks(session):
        session.notices.say(f"the page of this run: {short(str(path))}")


def _keep(session: Watched) -> None:
    """A small record, for `report --last`; where that cannot be written, nothing is lost."""
    with suppress(OSError, RuntimeError):  # RuntimeError: there is no home folder
        last_runs.keep(session.run)


def failing(findings: list[Finding], options: Options) -> list[Finding]:
    """The findings that `fail_on` names, by name, `name/cause` or severity; notes never fail."""
    wanted = set(options.fail_on) or {"warning", "error"}
    return [
        f
        for f in findings
        if f.severity != "info" and {f.name, f"{f.name}/{f.cause}", f.severity} & wanted
    ]


class ExitCode:
    """Ends a process that made findings with the code that was asked for.

    Only used where `exitcode` is set. A program that failed keeps its own code.
    """

    def __init__(self, session: Watched) -> None:
        self.session = session
        self.leaving = Leaving(self._lost)

    def install(self) -> Callable[[], None]:
        """Before JAX and the program register what they do at exit, so that it comes last."""
        atexit.register(self._at_exit)
        restore = self.leaving.install()

        def cancel() -> None:
            atexit.unregister(self._at_exit)
            restore()

        return cancel

    def _at_exit(self) -> None:
        try:
            self._apply()
        except Exception as error:  # the program keeps its own code
            self._lost(error)

    def _lost(self, error: Exception) -> None:
        self.session.degraded("exit code", f"{type(error).__name__}: {error}")
        self.session.notices.say(f"degraded: exit code: {type(error).__name__}: {error}")

    def _apply(self) -> None:
        session = self.session
        if self.leaving.failed or os.getpid() != session.pid or session.forked:
            return
        if not failing(session.run.problems, session.options):
            return
        if site := self.leaving.unknown:
            session.notices.say(
                f"exitcode: {place(site)} may have ended the program with a code of its own, which "
                "Python 3.11 does not show: left as it is; `gotcha-sanitize run` sees it"
            )
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # closed, or none at all
                stream.flush()
        os._exit(session.options.exitcode)
