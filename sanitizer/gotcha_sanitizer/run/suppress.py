"""What the user does not want to hear of: a file of lines, and `# gotcha: allow[name] reason`."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from gotcha_lint import registry
from gotcha_lint.text import comments
from gotcha_sanitizer.values.finding import Finding


@dataclass(frozen=True)
class Suppression:
    """One line of the file: a name (with `*`), and a glob of a path or of a function's name."""

    name: str
    glob: str
    reason: str = ""

    def covers(self, finding: Finding) -> bool:
        if not fnmatchcase(finding.name, self.name):
            return False
        path = finding.site.path if finding.site else ""
        return any(fnmatchcase(text, self.glob) for text in (path, finding.function))


def read(path: Path) -> tuple[list[Suppression], list[str]]:
    """The suppressions of a file, and what is wrong with it, in words for the user."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        return [], [f"suppressions file {path}: {error}; nothing is suppressed"]
    found, problems = [], []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, colon, rest = text.partition(":")
        glob, _, reason = rest.partition(":")
        if not colon or not glob.strip():
            problems.append(f"{path}:{number}: write `name:glob of a file or function[:reason]`")
            continue
        found.append(Suppression(name.strip(), glob.strip(), reason.strip()))
    return found, problems


def allowed(finding: Finding) -> bool:
    """True where the finding's line, one above it, or its file has an allow comment for it."""
    site = finding.site
    return site is not None and (
        finding.name in _file(site.path) or finding.name in _lines(site.path, site.line)
    )


@cache
def _lines(path: str, line: int) -> frozenset[str]:
    here = linecache.getline(path, line)
    above = linecache.getline(path, line - 1) if line > 1 else ""
    names = _names(here, "allow")
    if above.lstrip().startswith("#"):
        names |= _names(above, "allow")
    return names


@cache
def _file(path: str) -> frozenset[str]:
    return frozenset().union(*(_names(line, "allow-file") for line in linecache.getlines(path)))


def _names(line: str, verb: str) -> frozenset[str]:
    if "gotcha" not in line:
        return frozenset()
    found: set[str] = set()
    for _, text in comments.scan(line):
        comment = comments.parse(text, _known())
        if isinstance(comment, comments.Comment) and comment.verb == verb:
            found.update(comment.names)
    return frozenset(found)


@cache
def _known() -> frozenset[str]:
    from gotcha_sanitizer.catalogue import names

    return registry.names() | names()


def covered(finding: Finding, file: Sequence[Suppression]) -> bool:
    return allowed(finding) or any(each.covers(finding) for each in file)
