"""What the command line asked for."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gotcha_lint.config.settings import FailOn


@dataclass(frozen=True, kw_only=True)
class Options:
    """The parsed options, without those that print something and end."""

    paths: tuple[str, ...] = ()
    stdin_filename: str | None = None
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    statistics: bool = False
    why: str | None = None
    show_settings: bool = False
    output_format: str = "full"
    output_file: str | None = None
    exit_zero: bool = False
    fail_on: FailOn | None = None
    cache: bool = True
    jobs: int = 1
    quiet: bool = False
    verbose: bool = False
    screen: bool = True
    compiles: bool = False
    color: str = "auto"
    write_baseline: bool = False
    add_allow: bool = False
    with_run: tuple[str, ...] = ()

    @property
    def reads_stdin(self) -> bool:
        return "-" in self.paths


class UsageError(Exception):
    """What the user asked for cannot be done: exit code 2."""


def default_jobs() -> int:
    """Processors this process may use, at most four: more gain little on a linter's load."""
    affinity = getattr(os, "sched_getaffinity", None)
    usable = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return max(1, min(usable, 4))
