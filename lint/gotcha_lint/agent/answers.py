"""What the tools of the server answer: small structured results, made of plain values.

Needs no library of the protocol. A path is relative to the folder in which the server was started.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gotcha_lint import pages
from gotcha_lint.config.options import Options, UsageError
from gotcha_lint.config.selection import known_names
from gotcha_lint.config.settings import Overrides, SettingsFinder
from gotcha_lint.config.spelling import did_you_mean
from gotcha_lint.failing_line import at_line
from gotcha_lint.files.workspace import shown_name
from gotcha_lint.finding import Finding
from gotcha_lint.output.advice import advice
from gotcha_lint.run import find_inputs
from gotcha_lint.run import lint as lint_files
from gotcha_lint.tools import Tools

_SHORT = "\n## What the linter prints"  # what follows on a page is for people
_TOOLS = Tools()


@dataclass(frozen=True)
class Found:
    """A finding: what is wrong where, the links of the reason chain, and what to do."""

    name: str
    severity: str
    confidence: str
    place: str
    message: str
    because: tuple[str, ...] = ()
    help: str = ""


@dataclass(frozen=True)
class Linted:
    """The findings, at most `limit` of them, errors first; `total` counts all."""

    findings: tuple[Found, ...]
    total: int
    files: int
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Text:
    """A text for reading."""

    text: str


@dataclass(frozen=True)
class Compiled:
    """A compiled function; `programs` is a number, or "one for each" of something."""

    function: str
    place: str
    programs: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Compiles:
    """The compiled functions of the files, those with the most programs first."""

    functions: tuple[Compiled, ...]
    total: int


@dataclass(frozen=True)
class Explained:
    """A JAX error: the gotcha, what it means, the argument and the line at fault, the fix."""

    gotcha: str
    means: str
    fix: str
    argument: str = ""
    differs: str = ""
    traced: str = ""
    place: str = ""
    line: str = ""
    linter: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """What a recorded run found, the most expensive first; `seconds` is the time of compiling."""

    findings: tuple[Found, ...]
    total: int
    compiles: int
    seconds: float


def lint(paths: Sequence[str] = (".",), all: bool = False, limit: int = 30) -> Linted:
    """The findings of files and folders."""
    options, finder = _options(paths), _finder(all=all)
    inputs = find_inputs(options, finder)
    report = lint_files(options, finder, _TOOLS, inputs)
    ranks = {"error": 0, "warning": 1, "info": 2}
    found = sorted(report.findings, key=lambda finding: ranks[finding.severity])
    problems = [f"{each.rule} failed on {each.path}: {each.error}" for each in report.failures]
    shown = tuple(_found(finding) for finding in found[: max(limit, 1)])
    return Linted(shown, len(found), len(inputs.files), tuple(problems))


def why(path: str, line: int) -> Text:
    """What the analysis knows of a line: traced or not, through which chain, what names hold."""
    if not Path(path).is_file():
        raise UsageError(f"no such file: {path}")
    name = shown_name(str(Path(path).absolute()))
    try:
        text, _ = _TOOLS.why(name, line, _finder(), screen=True, overlay={})
    except ValueError as error:
        raise UsageError(str(error)) from error
    return Text(text)


def compiles(paths: Sequence[str] = (".",), limit: int = 30) -> Compiles:
    """The compiled functions and how many programs each has, before anything runs."""
    from gotcha_lint.views.compiles import as_json

    finder = _finder()
    inputs = find_inputs(_options(paths), finder)
    found, _ = _TOOLS.compiles(inputs.files, finder, screen=True, overlay={})
    rows: list[dict[str, Any]] = json.loads(as_json(found))
    rows.sort(key=lambda row: -_many(row["programs"]))
    return Compiles(tuple(_compiled(row) for row in rows[: max(limit, 1)]), len(rows))


def explain_error(traceback: str) -> Explained:
    """What a traceback of JAX means, and what the linter says of the line."""
    from gotcha_lint import errors

    meaning = errors.recognise(traceback)
    if meaning is None:
        raise UsageError("no JAX error that is known here in this text")
    names = meaning.known.names
    code, said = at_line(meaning.path, meaning.line, meaning.source, names, _TOOLS)
    return Explained(
        gotcha=names[0],
        means=meaning.means,
        fix=meaning.fix,
        argument=meaning.argument,
        differs=meaning.differs,
        traced=meaning.function,
        place=meaning.place,
        line=code.strip() or meaning.source,
        linter=tuple(said),
    )


def run_report(record: str, limit: int = 20) -> Report:
    """What the sanitizer recorded of a run."""
    from gotcha_lint.views.run_record import read

    seen = sorted(read(record), key=lambda each: -each.seconds)
    shown = tuple(_seen(each.data) for each in seen[: max(limit, 1)])
    lines = Path(record).read_text("utf-8").splitlines()
    events = [json.loads(line) for line in lines if '"event":"summary"' in line.replace(" ", "")]
    last: Mapping[str, Any] = events[-1] if events else {}
    spent = round(sum(last.get("seconds", {}).values()), 3)
    return Report(shown, len(seen), int(last.get("compiles", 0)), spent)


def explain(name: str, whole: bool = False) -> Text:
    """The page of a gotcha: what happens, what to write instead, examples."""
    text = pages.page(name.lower().replace("_", "-"))
    if text is None:
        known = {*_TOOLS.rules, *pages.names()}
        raise UsageError(f'no gotcha is called "{name}"{did_you_mean(name, known)}')
    return Text(text if whole else text.partition(_SHORT)[0])


def _options(paths: Iterable[str]) -> Options:
    return Options(paths=tuple(paths), quiet=True)


def _finder(all: bool = False) -> SettingsFinder:
    return SettingsFinder(Overrides(all=all or None), None, lambda: known_names(_TOOLS.rules))


def _found(finding: Finding) -> Found:
    because = tuple(f"{link.path}:{link.line}: {link.message}" for link in finding.chain)
    place = _place(finding.path, finding.line, finding.cell)
    help = advice(finding, _TOOLS.rules.get(finding.name))
    return Found(
        finding.name, finding.severity, finding.confidence, place, finding.message, because, help
    )


def _place(path: str, line: int, cell: int | None) -> str:
    return f"{path}:{line}" if cell is None else f"{path}:cell {cell}:{line}"


def _many(programs: Mapping[str, Any]) -> float:
    return float("inf") if programs["count"] is None else programs["count"]


def _compiled(row: Mapping[str, Any]) -> Compiled:
    programs = row["programs"]
    count = f"one for each {programs['per']}" if programs["per"] else str(programs["count"])
    count += " or more" if programs["at_least"] else ""
    reasons = tuple(reason["text"] for reason in row["reasons"])
    return Compiled(row["function"], _place(row["path"], row["line"], row["cell"]), count, reasons)


def _shown(path: str) -> str:
    return shown_name(path) if os.path.isabs(path) else path


def _seen(data: Mapping[str, Any]) -> Found:
    cause = f" ({data['cause']})" if data.get("cause") else ""
    lost = f"; {data['seconds']:.1f} s lost" if data.get("seconds", 0) >= 0.1 else ""
    because = tuple(
        f"{_shown(p['path'])}:{p['line']}: {p['message']}" for p in data.get("chain", ())
    )
    return Found(
        data["name"] + cause,
        data["severity"],
        data.get("confidence", "high"),
        _place(_shown(data["path"]), data["line"], data.get("cell")),
        data["message"] + lost,
        because,
        data.get("advice", ""),
    )
