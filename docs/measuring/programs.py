"""What is run: the examples of each rule, and the programs of examples/gotchas/NAME/."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from gotcha_lint.registry import rules

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "gotchas"
_MARK = re.compile(r"[ \t]*#[ \t]*! (?P<what>[\w/, -]+)$", re.MULTILINE)
_NEEDS = re.compile(r"^# needs Python (\d+)\.(\d+)\n", re.MULTILINE)
_DOCSTRING = re.compile(r'\A"""(?P<text>.*?)"""\n+', re.DOTALL)
_MARK_ALONE = re.compile(r"^# ! [\w/-]+\n")  # for a finding that has no line


class Pair(NamedTuple):
    """Bad code and its cure, both with their marks; `shows` tells them apart after a run."""

    bad: str
    good: str
    shows: str = ""

    @property
    def digest(self) -> str:
        """Changes when the code does: what was measured before is then out of date."""
        text = "\0".join((plain(self.bad), plain(self.good), self.shows))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def python(self) -> tuple[int, int]:
        """The oldest Python under which the sanitizer sees it."""
        needs = _NEEDS.search(self.bad)
        return (int(needs[1]), int(needs[2])) if needs else (3, 0)


def plain(code: str) -> str:
    """The code without docstring and marks of its tests, as it is run, linted and shown."""
    return _MARK.sub("", _MARK_ALONE.sub("", _undocumented(code)))


def _undocumented(code: str) -> str:
    return _DOCSTRING.sub("", code.strip() + "\n")


def about(name: str) -> str:
    """What the docstring of `bad.py` says of a gotcha that no rule explains."""
    file = FOLDER / name / "bad.py"
    found = _DOCSTRING.match(file.read_text("utf-8")) if file.exists() else None
    return found["text"].strip() if found else ""


def marks(code: str) -> set[tuple[int, str]]:
    """(line, what) of each `# ! name/cause`, by the lines of the plain code; 0 is no line."""
    rest = _undocumented(code)
    alone = _MARK_ALONE.match(rest)
    rest = rest[alone.end() :] if alone else rest
    found = {(0, alone[0][4:].strip())} if alone else set()
    for number, line in enumerate(rest.splitlines(), 1):
        if mark := _MARK.search(line):
            found.add((number, mark["what"]))
    return found


def pairs() -> dict[str, list[Pair]]:
    """Every gotcha that has examples, by its name."""
    found = {name: of_rule(name) for name, info in rules().items() if info.module}
    for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
        found.setdefault(folder.name, []).append(_of_folder(folder))
    return dict(sorted(found.items()))


def of_rule(name: str) -> list[Pair]:
    examples = rules()[name].examples
    return [Pair(e["bad"], e["good"], str(e.get("shows", ""))) for e in examples]


def _of_folder(folder: Path) -> Pair:
    return Pair(*((folder / f"{kind}.py").read_text("utf-8") for kind in ("bad", "good")))
