"""Findings as diagnostics, hovers and code actions of the Language Server Protocol.

Our columns are 1-based and count code points; the protocol's are 0-based and count UTF-16 units.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from lsprotocol import types as lsp

from gotcha_lint import registry
from gotcha_lint.finding import Finding, Fix, Place
from gotcha_lint.home import more
from gotcha_lint.server.session import Linted
from gotcha_lint.source import Source

NAME = "gotcha"
_SEVERITY = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "info": lsp.DiagnosticSeverity.Information,
}


def diagnostics(linted: Linted) -> list[lsp.Diagnostic]:
    return [_diagnostic(linted.source, finding) for finding in linted.findings]


def _diagnostic(source: Source, finding: Finding) -> lsp.Diagnostic:
    family = registry.rules()[finding.name].family
    return lsp.Diagnostic(
        range=_range(source.lines(), finding),
        message=finding.message,
        severity=_SEVERITY[finding.severity],
        code=finding.name,
        code_description=lsp.CodeDescription(href=finding.url) if finding.url else None,
        source=NAME,
        tags=[lsp.DiagnosticTag.Deprecated] if family == "deprecated" else None,
        related_information=[_related(place, source, finding) for place in finding.chain] or None,
    )


def _related(place: Place, source: Source, finding: Finding) -> lsp.DiagnosticRelatedInformation:
    # The text of other files is not at hand: columns there are off behind a wide character.
    lines = source.lines() if place.path == finding.path else ()
    uri = Path(os.path.abspath(place.path)).as_uri()
    location = lsp.Location(uri=uri, range=_range(lines, place))
    return lsp.DiagnosticRelatedInformation(location=location, message=place.message)


def hover(linted: Linted, position: lsp.Position) -> lsp.Hover | None:
    """What the gotchas are that are found here."""
    lines = linted.source.lines()
    here = [f for f in linted.findings if _holds(_range(lines, f), position)]
    if not here:
        return None
    parts = [
        f"**{finding.name}**: {finding.message}\n\n{registry.rules()[finding.name].explanation}"
        f"\n\n{_more(finding)}"
        for finding in here
    ]
    content = lsp.MarkupContent(kind=lsp.MarkupKind.Markdown, value="\n\n---\n\n".join(parts))
    return lsp.Hover(contents=content, range=_range(lines, here[0]))


def _more(finding: Finding) -> str:
    """Where the whole page is: on the web, or behind a command."""
    return f"[{finding.url}]({finding.url})" if finding.url else f"`{more(finding.name)}`"


def actions(linted: Linted, uri: str, asked: lsp.Range) -> list[lsp.CodeAction]:
    """The fixes of the findings in a range, and comments that allow them."""
    lines = linted.source.lines()
    found: list[lsp.CodeAction] = []
    for finding in linted.findings:
        if not _meets(_range(lines, finding), asked):
            continue
        diagnostic = _diagnostic(linted.source, finding)
        if finding.fix is not None:
            edits = list(_edits(linted.source, finding.fix))
            safe = finding.fix.safe
            title = finding.fix.title if safe else f"{finding.fix.title} (look at the result)"
            found.append(_action(title, uri, diagnostic, edits, preferred=safe))
        allow = _allowing(lines, finding)
        if allow is not None:
            found.append(_action(f"allow {finding.name} here", uri, diagnostic, [allow]))
    return found


def _action(
    title: str,
    uri: str,
    diagnostic: lsp.Diagnostic,
    edits: Sequence[lsp.TextEdit],
    preferred: bool = False,
) -> lsp.CodeAction:
    return lsp.CodeAction(
        title=f"{NAME}: {title}",
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        is_preferred=preferred or None,
        edit=lsp.WorkspaceEdit(changes={uri: list(edits)}),
    )


def _edits(source: Source, fix: Fix) -> Iterator[lsp.TextEdit]:
    lines = source.lines()
    for edit in fix.edits:
        start, end = (
            _position(lines, *source.position(offset)[:2]) for offset in (edit.start, edit.end)
        )
        yield lsp.TextEdit(range=lsp.Range(start=start, end=end), new_text=edit.text)


def _allowing(lines: Sequence[str], finding: Finding) -> lsp.TextEdit | None:
    """A comment at the end of the finding's line, where one can stand; its reason is to be said."""
    line = lines[finding.line - 1] if finding.line <= len(lines) else ""
    if not line.strip() or "#" in line or line.endswith("\\"):
        return None
    end = _position(lines, finding.line, len(line) + 1)
    comment = f"  # gotcha: allow[{finding.name}] "
    return lsp.TextEdit(range=lsp.Range(start=end, end=end), new_text=comment)


def _range(lines: Sequence[str], place: Finding | Place) -> lsp.Range:
    return lsp.Range(
        start=_position(lines, place.line, place.column),
        end=_position(lines, place.end_line, place.end_column),
    )


def _position(lines: Sequence[str], line: int, column: int) -> lsp.Position:
    before = lines[line - 1][: column - 1] if line <= len(lines) else ""
    wide = sum(ord(character) > 0xFFFF for character in before)
    return lsp.Position(line=line - 1, character=column - 1 + wide)


def _holds(whole: lsp.Range, position: lsp.Position) -> bool:
    return whole.start <= position <= whole.end


def _meets(one: lsp.Range, other: lsp.Range) -> bool:
    return one.start <= other.end and other.start <= one.end
