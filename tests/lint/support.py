"""Helpers of the linter's tests: lint a text, read its marks, apply fixes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

from gotcha_lint import engine, registry
from gotcha_lint.config.settings import Settings
from gotcha_lint.finding import Finding

Cli = Callable[..., Any]  # the fixture `cli`

MARK = re.compile(r"#\s*!\s*([\w-]+(?:\s*,\s*[\w-]+)*)")


def code(text: str) -> str:
    return dedent(text).strip() + "\n"


def write(name: str, text: str) -> Path:
    """Writes a file below the working directory, which is each test's own."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def lint_files(
    folder: Path, files: Mapping[str, str], select: tuple[str, ...] = ("all",), **options: object
) -> list[Finding]:
    """Writes files into a folder of their own and lints them; paths come back relative to it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").touch()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")
    settings = Settings(select=select, **options)  # type: ignore[arg-type]
    report = engine.lint([str(folder / name) for name in files], lambda path: settings)
    assert report.failures == []
    return report.findings


def marks(text: str) -> list[tuple[int, str]]:
    """The (line, rule) pairs that the text's own `# ! rule` comments ask for."""
    return sorted(
        (number, name.strip())
        for number, line in enumerate(text.splitlines(), 1)
        for match in MARK.findall(line)
        for name in match.split(",")
    )


def found(findings: list[Finding]) -> list[tuple[int, str]]:
    return sorted((f.line, f.name) for f in findings)


def without_marks(text: str) -> str:
    return re.sub(r"[ \t]*#\s*![^\n]*", "", text)


def apply_fixes(text: str, findings: list[Finding]) -> str:
    """All fixes of a text, safe or not, applied at once from the end."""
    edits = sorted(
        {e for f in findings if f.fix for e in f.fix.edits}, key=lambda e: (e.start, e.end)
    )
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


RULES = [info for info in registry.rules().values() if info.module]
