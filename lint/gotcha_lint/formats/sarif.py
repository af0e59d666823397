"""SARIF 2.1.0, with the gotchas' pages, the reason chain and the fixes inside."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from gotcha_lint import pages
from gotcha_lint.finding import Finding, Place
from gotcha_lint.formats import Shown, SourceText, relative
from gotcha_lint.home import HOME
from gotcha_lint.output.advice import first_paragraph
from gotcha_lint.output.explain import plain

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_LOCAL = re.compile(r"\[([^\]\n]+)\]\(([\w-]+\.md)(#[\w-]*)?\)")  # a link to another page
_WIDTH = 80
_RANKS = {"high": 90.0, "medium": 60.0, "low": 30.0}

Json = dict[str, Any]


def render(report: Shown) -> str:
    rules = sorted({finding.name for finding in report.findings})
    driver: Json = {
        "name": "gotcha-lint",
        **({"informationUri": HOME} if HOME else {}),
        "rules": [_rule(report, name) for name in rules],
    }
    if report.version:
        driver |= {"version": report.version, "semanticVersion": report.version}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": [_result(report, finding, rules) for finding in report.findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(report: Shown, name: str) -> Json:
    found = [finding for finding in report.findings if finding.name == name]
    url = next((finding.url for finding in found if finding.url), "")
    rule = report.rule(name)
    level = _LEVELS[rule.severity if rule else found[0].severity]
    descriptor: Json = {"id": name, "defaultConfiguration": {"level": level}}
    if rule is not None:
        text = rule.explanation or rule.summary
        descriptor |= {
            "shortDescription": {"text": rule.summary},
            "fullDescription": {"text": first_paragraph(text) or rule.summary},
            "help": _help(name, text, url),
            "properties": {"tags": [rule.family], "precision": rule.confidence},
        }
    return descriptor | ({"helpUri": url} if url else {})


def _help(name: str, text: str, url: str) -> Json:
    """The page, as `--explain` shows it.

    Its links to other pages lead to where `url` is; without one their words remain.
    """
    if page := pages.page(name):
        folder = url.rpartition("/")[0]
        page = _LOCAL.sub(rf"[\1]({folder}/\2\3)" if folder else r"\1", page)
        return {"text": plain(page, width=_WIDTH), "markdown": page}
    return {"text": text, "markdown": text}


def _result(report: Shown, finding: Finding, rules: Sequence[str]) -> Json:
    result: Json = {
        "ruleId": finding.name,
        "ruleIndex": rules.index(finding.name),
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [_location(report, finding)],
        "rank": _RANKS[finding.confidence],
        "properties": {"confidence": finding.confidence, **_cell(finding.cell)},
    }
    if finding.id:
        result["partialFingerprints"] = {"gotcha/v1": finding.id}
    if finding.chain:
        result |= _chain(report, finding)
    if finding.fix is not None and finding.cell is None:
        source = report.source(finding.path)
        result |= {"fixes": [_fix(report, finding, source)]} if source is not None else {}
    return result


def _chain(report: Shown, finding: Finding) -> Json:
    related = [
        {"id": number, **_location(report, place), "message": {"text": place.message}}
        for number, place in enumerate(finding.chain, 1)
    ]
    end = _location(report, finding) | {"message": {"text": finding.message}}
    steps = [{"location": {k: v for k, v in r.items() if k != "id"}} for r in related]
    flow = {"threadFlows": [{"locations": [*steps, {"location": end}]}]}
    return {"relatedLocations": related, "codeFlows": [flow]}


def _location(report: Shown, at: Finding | Place) -> Json:
    region = _region((at.line, at.column), (at.end_line, at.end_column))
    physical = {"artifactLocation": _artifact(report, at.path), "region": region}
    location: Json = {"physicalLocation": physical}
    return location | ({"properties": _cell(at.cell)} if at.cell is not None else {})


def _artifact(report: Shown, path: str) -> Json:
    shown = relative(path, report.root)
    uri = quote(shown, errors="surrogateescape")
    if shown.startswith("/"):
        return {"uri": f"file://{uri}"}
    if shown[1:3] == ":/":  # a drive of Windows
        return {"uri": f"file:///{quote(shown, safe='/:')}"}
    return {"uri": uri, "uriBaseId": "%SRCROOT%"}


def _region(start: Iterable[int], end: Iterable[int]) -> Json:
    names = ("startLine", "startColumn", "endLine", "endColumn")
    return dict(zip(names, (*start, *end), strict=True))


def _fix(report: Shown, finding: Finding, source: SourceText) -> Json:
    assert finding.fix is not None
    replacements = []
    for edit in finding.fix.edits:
        start, end = source.position(edit.start), source.position(edit.end)
        deleted = _region(start[:2], end[:2])
        replacements.append({"deletedRegion": deleted, "insertedContent": {"text": edit.text}})
    change = {
        "artifactLocation": _artifact(report, finding.path),
        "replacements": replacements,
    }
    safety = "" if finding.fix.safe else " (may change what the program does)"
    return {"description": {"text": finding.fix.title + safety}, "artifactChanges": [change]}


def _cell(cell: int | None) -> Json:
    return {} if cell is None else {"cell": cell}


def _invocation(report: Shown) -> Json:
    invocation: Json = {"executionSuccessful": not report.failures}
    if report.failures:
        invocation["toolExecutionNotifications"] = [
            {
                "level": "error",
                "message": {"text": f"internal error in {failure.rule}: {failure.error}"},
                "locations": [
                    {"physicalLocation": {"artifactLocation": _artifact(report, failure.path)}}
                ],
            }
            for failure in report.failures
        ]
    return invocation
