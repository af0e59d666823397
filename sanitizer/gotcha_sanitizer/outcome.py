"""What happens at the end of a run: the summary, the report, the page, the exit code."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gotcha_sanitizer.finding import Finding
from gotcha_sanitizer.options import Options

if TYPE_CHECKING:
    from gotcha_sanitizer.session import Session


def finish(session: Session) -> None:
    """Writes all that was asked for. Hosts but the first keep their report to their record."""
    options = session.options
    session.end()
    if not options.quiet and _is_first_host(session):
        from gotcha_sanitizer.reporters import text

        session.notices.write(
            text.render(session.run, options, session.notices.colour, session.pid)
        )
    if options.html:
        _write_page(session)


def _is_first_host(session: Session) -> bool:
    """Asks JAX only if it has started: asking would start it."""
    from gotcha_sanitizer.hooks import private

    return private.process_index(session.jax) in (None, 0)


def _write_page(session: Session) -> None:
    from gotcha_sanitizer.reporters import html

    path = Path(session.options.html.replace("%p", str(os.getpid())))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(path.name + ".part")
        unfinished.write_text(html.render(session.run), "utf-8")
        unfinished.replace(path)
    except OSError as error:
        session.notices.say(f"html: {error}")


def failing(findings: list[Finding], options: Options) -> list[Finding]:
    """The findings that `fail_on` names, by name, `name/cause` or severity; notes never fail."""
    wanted = set(options.fail_on) or {"warning", "error"}
    return [
        f
        for f in findings
        if f.severity != "info" and {f.name, f"{f.name}/{f.cause}", f.severity} & wanted
    ]


class ExitCode:
    """Knows how the program ends, so that one that failed keeps its own exit code.

    Only used where `exitcode` is set. `sys.exit` is noted, an exception that nobody catches too;
    a `raise SystemExit(n)` that does not go through `sys.exit` cannot be seen.
    """

    def __init__(self) -> None:
        self.failed = False
        self._exit = sys.exit
        self._hook = sys.excepthook

    def install(self) -> None:
        sys.exit = self._leave
        sys.excepthook = self._raised

    def _leave(self, status: object = None, /) -> None:
        self.failed = status not in (None, 0)
        raise SystemExit(status)

    def _raised(self, *details: object) -> None:
        self.failed = True
        self._hook(*details)  # type: ignore[arg-type]

    def apply(self, session: Session) -> None:
        """Ends the process with the code that was asked for, when it is due."""
        due = failing(session.run.problems, session.options)
        if due and not self.failed and os.getpid() == session.pid:
            for stream in (sys.stdout, sys.stderr):
                try:
                    stream.flush()
                except (OSError, ValueError, AttributeError):
                    pass
            os._exit(session.options.exitcode)
