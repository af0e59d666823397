"""What the linter finds at the line of a traceback."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gotcha_lint.config.selection import known_names
from gotcha_lint.config.settings import ConfigError, Overrides, SettingsFinder
from gotcha_lint.tools import Tools


def at_line(
    path: str, line: int, quoted: str, names: Sequence[str], tools: Tools
) -> tuple[str, list[str]]:
    """The source of a line and what is found there; nothing for other files.

    A file whose line is not the one that the traceback quotes has changed since, or is another's.
    """
    if not path.endswith(".py") or not os.path.isfile(path):
        return "", []
    with open(path, encoding="utf-8", errors="replace") as opened:
        code = next((text for number, text in enumerate(opened, 1) if number == line), "")
    if quoted and code.strip() != quoted.strip():
        return "", []
    everything = Overrides(all=True)
    finder = SettingsFinder(everything, None, lambda: known_names(tools.rules))
    try:
        report = tools.lint(
            [path], finder, jobs=1, screen=False, overlay={}, progress=lambda done, total: None
        )
    except ConfigError:  # of the folder where the traceback's file is: no reason to say nothing
        return code, []
    here = [found for found in report.findings if found.line <= line <= found.end_line]
    here.sort(key=lambda found: found.name not in names)
    said = [f"{found.severity}[{found.name}] {found.message}" for found in here]
    return code, said or [
        f"no finding at this line; what it knows: gotcha-lint --why {path}:{line}"
    ]
