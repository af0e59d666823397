"""Findings and details as what the Language Server Protocol has for them.

Our columns are 1-based and count code points; the protocol's are 0-based and count UTF-16 units.
The cells of a notebook are documents of their own there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lsprotocol import types as lsp

from gotcha_lint import registry
from gotcha_lint.finding import Edit, Finding, Place
from gotcha_lint.findings.fixer import apply_fixes
from gotcha_lint.home import more
from gotcha_lint.server.details import Details
from gotcha_lint.server.session import Linted
from gotcha_lint.text.source import Source
from gotcha_lint.views.compiles import Row, programs

NAME = "gotcha"
FIX_ALL = f"{lsp.CodeActionKind.SourceFixAll.value}.{NAME}"
Uris = Callable[[str, int | None], str]  # of a path as findings show it, and a cell
_SEVERITY = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "info": lsp.DiagnosticSeverity.Information,
}


def diagnostics(linted: Linted, uris: Uris) -> dict[str, list[lsp.Diagnostic]]:
    """By the address of the document: for a notebook, of the cell."""
    found: dict[str, list[lsp.Diagnostic]] = {}
    for finding in linted.findings:
        uri = uris(finding.path, finding.cell)
        found.setdefault(uri, []).append(_diagnostic(linted.source, finding, uris))
    return found


def _diagnostic(source: Source, finding: Finding, uris: Uris) -> lsp.Diagnostic:
    family = registry.rules()[finding.name].family
    related = [_related(place, source, finding, uris) for place in finding.chain]
    return lsp.Diagnostic(
        range=_range(source, finding),
        message=finding.message,
        severity=_SEVERITY[finding.severity],
        code=finding.name,
        code_description=lsp.CodeDescription(href=finding.url) if finding.url else None,
        source=NAME,
        tags=[lsp.DiagnosticTag.Deprecated] if family == "deprecated" else None,
        related_information=related or None,
    )


def _related(
    place: Place, source: Source, finding: Finding, uris: Uris
) -> lsp.DiagnosticRelatedInformation:
    # The text of other files is not at hand: columns there are off behind a wide character.
    of = source if place.path == finding.path else None
    location = lsp.Location(uri=uris(place.path, place.cell), range=_range(of, place))
    return lsp.DiagnosticRelatedInformation(location=location, message=place.message)


# Hover


def hover(
    linted: Linted | None, details: Details | None, position: lsp.Position, cell: int | None
) -> lsp.Hover | None:
    """The findings here, then what is known of the name and of the function around."""
    parts: list[str] = []
    shown: lsp.Range | None = None
    if linted is not None:
        here = [f for f in linted.findings if f.cell == cell and _holds(linted, f, position)]
        parts += [
            f"**{finding.name}**: {finding.message}\n\n"
            f"{registry.rules()[finding.name].explanation}\n\n{_more(finding)}"
            for finding in here
        ]
        shown = _range(linted.source, here[0]) if here else None
    if details is not None and (known := _known(details, position, cell)):
        parts.append(known)
    if not parts:
        return None
    content = lsp.MarkupContent(kind=lsp.MarkupKind.Markdown, value="\n\n---\n\n".join(parts))
    return lsp.Hover(contents=content, range=shown)


def _more(finding: Finding) -> str:
    """Where the whole page is: on the web, or behind a command."""
    return f"[{finding.url}]({finding.url})" if finding.url else f"`{more(finding.name)}`"


def _known(details: Details, position: lsp.Position, cell: int | None) -> str:
    line, column = _from_position(details.source, position, cell)
    name = details.name_at(line, column, cell)
    function = details.function_at(line, cell)
    paragraphs = [f"`{name.name}`: `{name.words}`"] if name else []
    for row in details.rows:
        called = name is not None and row.function.rpartition(".")[2] == name.name
        own = function is not None and _defines(details, function.lines, function.cell, row)
        if called or own or (row.path == details.source.path and _at(row, line, cell)):
            paragraphs.append(f"`{row.function}` {programs(row)}{_reasons(row)}")
    if function is not None and (function.name or ": traced" in function.text or paragraphs):
        paragraphs.append(f"```text\n{function.text}\n```")
    return "\n\n".join(paragraphs)


def _defines(details: Details, lines: tuple[int, int], cell: int | None, row: Row) -> bool:
    """Is this the function that the row compiles? It begins at a decorator or at its `def`."""
    if row.defined_in != details.source.path or not row.defined[0]:
        return False
    first, last = (_of_joined(details.source, line) for line in row.defined)
    return first[2] == cell and first[0] <= lines[0] <= last[0]


def _at(row: Row, line: int, cell: int | None) -> bool:
    return (row.line, row.cell) == (line, cell)


def _reasons(row: Row) -> str:
    return "".join(
        f"\n- {f'`{reason.argument}` ' if reason.argument else ''}{reason.text}"
        for reason in row.reasons
    )


# Code lenses and inlay hints


def lenses(details: Details, cell: int | None) -> list[lsp.CodeLens]:
    """How many programs each compiled function has: above it, or where it is compiled."""
    found: dict[tuple[int, str], lsp.CodeLens] = {}
    for row in details.rows:
        line, _, row_cell = _line_of(details, row)
        if not line or row_cell != cell:
            continue
        reasons = {reason.text: reason.argument for reason in row.reasons}
        why = ", ".join(f"{name} {text}".strip() for text, name in reasons.items())
        title = f"{programs(row)}: {why}" if why and not row.per else programs(row)
        start = lsp.Position(line - 1, 0)
        found.setdefault(
            (line, title),
            lsp.CodeLens(
                range=lsp.Range(start, start), command=lsp.Command(title=title, command="")
            ),
        )
    return [found[key] for key in sorted(found)]


def _line_of(details: Details, row: Row) -> tuple[int, int, int | None]:
    """Where a row is shown: at the function if that is in this file."""
    if row.defined_in == details.source.path and row.defined[0]:
        return _of_joined(details.source, row.defined[0])
    if row.path == details.source.path:
        return row.line, row.column, row.cell
    return 0, 0, None


def hints(details: Details, asked: lsp.Range, cell: int | None) -> list[lsp.InlayHint]:
    """Shapes and dtypes behind the names that are assigned, and programs behind what compiles."""
    source = details.source
    found: list[lsp.InlayHint] = []
    for name in details.names:
        if not (name.stored and name.is_array):
            continue
        line, column, own = source.position(source.offset(*name.span[2:]))
        if own == cell:
            hint = _hint(source, line, column, cell, f": {name.words}")
            found.append(hint)
    for row in details.rows:
        if row.path == source.path and row.cell == cell:
            end = len(source.lines(cell)[row.line - 1]) + 1
            words = f"one per {row.per}" if row.per else f"{row.programs}{'+' * row.open}"
            found.append(_hint(source, row.line, end, cell, f"  programs: {words}"))
    return [hint for hint in found if asked.start <= hint.position <= asked.end]


def _hint(source: Source, line: int, column: int, cell: int | None, text: str) -> lsp.InlayHint:
    return lsp.InlayHint(
        position=_position(source.lines(cell), line, column),
        label=text,
        kind=lsp.InlayHintKind.Type,
        padding_left=text.startswith(" ") or None,
    )


def _of_joined(source: Source, line: int) -> tuple[int, int, int | None]:
    """A line of the joined text of a notebook, as a place in its cell."""
    return source.position(source.offset(line, 1))


# Code actions


def actions(
    linted: Linted, uris: Uris, asked: lsp.Range, cell: int | None, only: Sequence[str] | None
) -> list[lsp.CodeAction]:
    """The fixes of the findings in a range and comments that allow them; all safe fixes at once."""
    found: list[lsp.CodeAction] = []
    if _wanted(lsp.CodeActionKind.QuickFix.value, only):
        for finding in linted.findings:
            if finding.cell == cell and _meets(_range(linted.source, finding), asked):
                found.extend(_quick(linted.source, finding, uris))
    if _wanted(FIX_ALL, only):
        found.extend(_fix_all(linted, uris, least=1 if only else 2))
    return found


def _wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Kinds are a hierarchy: who asks for `source.fixAll` gets `source.fixAll.gotcha`."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


def _quick(source: Source, finding: Finding, uris: Uris) -> Iterator[lsp.CodeAction]:
    diagnostic = _diagnostic(source, finding, uris)
    kind = lsp.CodeActionKind.QuickFix
    if finding.fix is not None:
        safe = finding.fix.safe
        title = finding.fix.title if safe else f"{finding.fix.title} (look at the result)"
        edit = _edit(source, finding.fix.edits, uris)
        yield _action(kind, title, edit, [diagnostic], preferred=safe)
    allow = _allowing(source, finding)
    if allow is not None:
        edit = lsp.WorkspaceEdit(changes={uris(finding.path, finding.cell): [allow]})
        yield _action(kind, f"allow {finding.name} here", edit, [diagnostic])


def _fix_all(linted: Linted, uris: Uris, least: int) -> Iterator[lsp.CodeAction]:
    """What `--fix` does in one pass: fixes that cannot change what correct code computes."""
    _, applied = apply_fixes(linted.source.text, linted.findings, unsafe=False)
    if len(applied) >= least:
        edits = dict.fromkeys(edit for f in applied if f.fix for edit in f.fix.edits)
        edit = _edit(linted.source, list(edits), uris)
        yield _action(FIX_ALL, f"fix all ({len(applied)}) that is safe to fix", edit)


def _action(
    kind: lsp.CodeActionKind | str,
    title: str,
    edit: lsp.WorkspaceEdit,
    diagnostics: list[lsp.Diagnostic] | None = None,
    preferred: bool = False,
) -> lsp.CodeAction:
    return lsp.CodeAction(
        title=f"{NAME}: {title}",
        kind=kind,
        diagnostics=diagnostics,
        is_preferred=preferred or None,
        edit=edit,
    )


def _edit(source: Source, edits: Sequence[Edit], uris: Uris) -> lsp.WorkspaceEdit:
    changes: dict[str, list[lsp.TextEdit]] = {}
    for edit in edits:
        line, column, cell = source.position(edit.start)
        end_line, end_column, _ = source.position(edit.end)
        lines = source.lines(cell)
        start, end = _position(lines, line, column), _position(lines, end_line, end_column)
        text = lsp.TextEdit(range=lsp.Range(start=start, end=end), new_text=edit.text)
        changes.setdefault(uris(source.path, cell), []).append(text)
    return lsp.WorkspaceEdit(changes=changes)


def _allowing(source: Source, finding: Finding) -> lsp.TextEdit | None:
    """A comment at the end of the finding's line, where one can stand; its reason is to be said."""
    lines = source.lines(finding.cell)
    line = lines[finding.line - 1] if finding.line <= len(lines) else ""
    if not line.strip() or "#" in line or line.endswith("\\"):
        return None
    end = _position(lines, finding.line, len(line) + 1)
    comment = f"  # gotcha: allow[{finding.name}] "
    return lsp.TextEdit(range=lsp.Range(start=end, end=end), new_text=comment)


# Places


def _range(source: Source | None, place: Finding | Place) -> lsp.Range:
    lines = source.lines(place.cell) if source is not None else ()
    return lsp.Range(
        start=_position(lines, place.line, place.column),
        end=_position(lines, place.end_line, place.end_column),
    )


def _position(lines: Sequence[str], line: int, column: int) -> lsp.Position:
    before = lines[line - 1][: column - 1] if line <= len(lines) else ""
    wide = sum(ord(character) > 0xFFFF for character in before)
    return lsp.Position(line=line - 1, character=column - 1 + wide)


def _from_position(source: Source, position: lsp.Position, cell: int | None) -> tuple[int, int]:
    """Line and column, from 1, in code points."""
    lines = source.lines(cell)
    text = lines[position.line] if position.line < len(lines) else ""
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * position.character]
    return position.line + 1, len(units.decode("utf-16-le", "replace")) + 1


def _holds(linted: Linted, finding: Finding, position: lsp.Position) -> bool:
    whole = _range(linted.source, finding)
    return whole.start <= position <= whole.end


def _meets(one: lsp.Range, other: lsp.Range) -> bool:
    return one.start <= other.end and other.start <= one.end
