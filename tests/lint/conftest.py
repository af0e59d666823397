"""Fakes for the tests of the command line: rules, findings, an engine that looks for marks."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gotcha_lint.cli import main
from gotcha_lint.config.selection import enabled
from gotcha_lint.config.settings import Settings
from gotcha_lint.finding import Edit, Finding, Fix, stable_id
from gotcha_lint.text.source import Source, decode
from gotcha_lint.tools import Tools

collect_ignore = ["quiet", "cases"]  # programs that are linted, and never run

EXPLANATION = """\
Finds the word BAD.

## What it does
Looks for `BAD` in the text, see [the page](https://example.org/bad).

## Why
It is **bad**.

```python
BAD = 1
```

- one reason that is long enough to be wrapped when the terminal is only sixty columns wide
- another one

## Instead
Write GOOD
in its place.

A second paragraph.
"""


@dataclass(frozen=True)
class FakeRule:
    name: str
    family: str = "words"
    summary: str = "Finds the word BAD."
    explanation: str = EXPLANATION
    severity: str = "warning"
    confidence: str = "high"
    fixable: bool = True
    examples: tuple[dict[str, Any], ...] = ({"bad": "x = BAD", "good": "x = GOOD"},)
    confirmed_by: tuple[tuple[str, str], ...] = ()

    @property
    def url(self) -> str:
        return f"https://example.org/{self.name}"


FAKE_RULES: dict[str, FakeRule] = {
    rule.name: rule
    for rule in (
        FakeRule("bad-word"),
        FakeRule("new-word", confidence="medium"),
        FakeRule("worse-word", severity="error"),
        FakeRule("odd-sign", family="signs", severity="info", fixable=False, examples=()),
        FakeRule("syntax-error", family="engine", severity="error"),
    )
}

# The word that a rule reports, and what its fix writes in its place.
WORDS = {
    "bad-word": ("BAD", "GOOD"),
    "new-word": ("NEW", "OLD"),
    "worse-word": ("WORSE", "BETTER"),
    "odd-sign": ("§", None),
}


@dataclass
class FakeReport:
    findings: list[Finding]
    sources: dict[str, Source]
    failures: list[Any] = field(default_factory=list)
    checked: int = 0
    skipped: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: {"read": 0.0, "files": 0.0})

    def source(self, path: str) -> Source | None:
        return self.sources.get(path)


class FakeTools(Tools):
    """An engine that reports words. `RAISE` in a file is an internal error of one rule."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.words: dict[str, tuple[str, str | None]] = dict(WORDS)
        self.safe = True

    @property
    def rules(self) -> Mapping[str, Any]:
        return FAKE_RULES

    def lint(
        self, files: Sequence[str], settings_for: Callable[[str], Settings], **given: Any
    ) -> FakeReport:
        self.calls.append({"files": list(files), **given})
        report = FakeReport([], {}, checked=len(files))
        for path in files:
            raw = given["overlay"].get(path)
            if raw is None:
                with open(path, "rb") as file:
                    raw = file.read()
            source = report.sources[path] = decode(path, raw)
            if "RAISE" in source.text:
                failure = SimpleNamespace(path=path, rule="bad-word", error="KeyError: 'x'")
                report.failures.append(failure)
            on = enabled(settings_for(path), FAKE_RULES, path)
            report.findings += [f for f in self._findings(source) if f.name in on]
        report.findings.sort(key=lambda finding: finding.order)
        return report

    def why(
        self, path: str, line: int, settings_for: Callable[[str], Settings], **given: Any
    ) -> tuple[str, Sequence[Any]]:
        self.calls.append({"files": [path], **given})
        if line > 99:
            raise ValueError("no such line")
        return f"{path}:{line}", ()

    def _findings(self, source: Source) -> list[Finding]:
        found: list[Finding] = []
        for name, (word, cure) in self.words.items():
            start = source.text.find(word)
            while start >= 0:
                found.append(self._finding(source, name, word, cure, start))
                start = source.text.find(word, start + 1)
        return found

    def _finding(
        self, source: Source, name: str, word: str, cure: str | None, start: int
    ) -> Finding:
        line, column, cell = source.position(start)
        end = start + len(word)
        fix = None
        if cure is not None:
            fix = Fix(f"write {cure}", (Edit(start, end, cure),), self.safe)
        severity: Any = FAKE_RULES[name].severity
        return Finding(
            name=name,
            message=f"the word {word}",
            path=source.path,
            line=line,
            column=column,
            end_line=line,
            end_column=column + len(word),
            severity=severity,
            fix=fix,
            url=FAKE_RULES[name].url,
            id=stable_id(name, source.lines(cell)[line - 1], "", column),
            cell=cell,
        )


@pytest.fixture
def tools() -> FakeTools:
    return FakeTools()


@pytest.fixture
def fake_rules() -> Mapping[str, FakeRule]:
    return FAKE_RULES


@pytest.fixture
def cli(
    tools: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """`cli("--fix", "a.py", stdin="...")` in an empty directory: code, out, err."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)

    def call(*args: str, stdin: bytes = b"") -> Any:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin), isatty=bool))
        code = main(args, tools)
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return call
