"""One file of a run: is it Python, what do rules foresee in it, what do its comments allow?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.finding import Finding
from gotcha_lint.output.last_line import last_line
from gotcha_lint.task import Failure, Task
from gotcha_lint.text import source
from gotcha_lint.text.comments import scan
from gotcha_lint.text.source import Source
from gotcha_lint.text.syntax import check_syntax
from gotcha_lint.text.unreadable import Unreadable, file_finding


@dataclass(frozen=True, slots=True)
class Checked:
    """What a run says of one file."""

    findings: tuple[Finding, ...] = ()
    failures: tuple[Failure, ...] = ()


def check_file(task: Task, raw: bytes, names: frozenset[str]) -> Checked:
    """The findings of a file; one that cannot be read has one that says so.

    `names`: what comments may allow.
    """
    try:
        return Checked(tuple(_findings(task, source.decode(task.path, raw), names)))
    except Unreadable as error:
        return Checked((file_finding(task.path, error),))
    except RecursionError:
        deep = Unreadable("too-deeply-nested", "this file is nested too deeply to be analysed")
        return Checked((file_finding(task.path, deep),))
    except Exception:
        return Checked(failures=(Failure(task.path, "drafting", last_line()),))


def _findings(task: Task, decoded: Source, names: frozenset[str]) -> Iterator[Finding]:
    """Raises `Unreadable`."""
    for error in decoded.broken:
        yield file_finding(task.path, error)
    if not (task.forecasts or any(scan(decoded.text))):
        check_syntax(decoded)
        return
    from gotcha_lint.findings.drafting import drafts  # here only: LibCST takes long to import

    for draft in drafts(decoded, task, names):
        yield draft.finding(decoded)
