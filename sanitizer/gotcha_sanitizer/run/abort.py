"""`abort_on=recompile`: a finding ends the program at once, as a run that costs money should."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.words import place

if TYPE_CHECKING:
    from gotcha_sanitizer.options import Options
    from gotcha_sanitizer.run.watched import Watched

_once = threading.Lock()  # never released: the process ends
_LONGEST = 10.0  # seconds for the report and the page


def abort(session: Watched) -> None:
    """Ends the process where there is such a finding: its report, record and page come first.

    Not by an exception: the program might catch it, and a thread of its own would swallow it.
    """
    found = reason(list(session.run.findings.values()), session.options)
    if found is None or not _once.acquire(blocking=False):
        return
    session.notices.say(f"{place(found.site)}: {found.name}: abort_on ends the program here")
    # In a thread of its own: what is called here, inside of a hook, is guarded against nesting.
    last = threading.Thread(target=session.finish, daemon=True)
    last.start()
    last.join(_LONGEST)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or none at all
            stream.flush()
    os._exit(session.options.exitcode or 1)


def reason(findings: Iterable[Finding], options: Options) -> Finding | None:
    """The first finding that `abort_on` names. Of recompiles one that is past the warm-up."""
    wanted = set(options.abort_on)
    for each in findings:
        named = {each.name, f"{each.name}/{each.cause}", each.severity} & wanted
        if named and each.severity != "info" and _is_late(each, options):
            return each
    return None


def _is_late(finding: Finding, options: Options) -> bool:
    programs = finding.evidence.get("programs", 0)
    return finding.name != "recompile" or (isinstance(programs, int) and programs > options.warmup)
