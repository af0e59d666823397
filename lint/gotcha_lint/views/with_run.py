"""`--with-run run.jsonl`: which findings a run of the sanitizer confirms, and what they cost.

A rule says what confirms it (`confirmed_by`); a run-time finding of the rule's own name does, too.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

from gotcha_lint.config.selection import RuleText
from gotcha_lint.config.settings import Settings
from gotcha_lint.finding import Finding, Place, SeenRunning
from gotcha_lint.formats import SourceText
from gotcha_lint.output import terminal
from gotcha_lint.text.unwarned import unwarned
from gotcha_lint.views.run_record import Seen, read

Span = tuple[int, int]
_NOWHERE = "<unknown>"


def with_run(
    findings: Sequence[Finding],
    records: Sequence[str],
    source: Callable[[str], SourceText | None],
    rules: Mapping[str, RuleText],
    settings_for: Callable[[str], Settings],
) -> list[Finding]:
    """Confirmed findings first, the most expensive before; then the others; then what no rule saw.

    Raises UsageError where a record cannot be read.
    """
    seen = [each for path in records for each in read(path)]
    files = {finding.path: _File(finding.path, source) for finding in findings}
    matches: dict[int, list[Seen]] = {}
    surprises: list[Seen] = []
    for each in seen:
        found = _confirmed(each, findings, files, rules)
        for index in found:
            matches.setdefault(index, []).append(each)
        if not found:
            surprises.append(each)
    surprises = [each for each in surprises if _wanted(each, settings_for)]
    shown = [(findings[index].path, each) for index, by in matches.items() for each in by]
    _warn_of_changes([*shown, *((_shown(each.data["path"]), each) for each in surprises)])
    marked = [_marked(findings[index], by) for index, by in matches.items()]
    marked.sort(key=lambda finding: (-finding.run.seconds if finding.run else 0.0, finding.order))
    rest = [finding for index, finding in enumerate(findings) if index not in matches]
    surprises.sort(key=lambda each: -each.seconds)
    return marked + rest + [_surprise(each) for each in surprises]


@cache
def _real(path: str) -> str:
    return os.path.realpath(path)


class _File:
    """A linted file: is it the one that ran, and which lines belong together?"""

    def __init__(self, path: str, source: Callable[[str], SourceText | None]) -> None:
        self.path = path
        self._source = source
        self._real = _real(os.path.abspath(path))
        self._tail = "/" + os.path.normpath(path).replace(os.sep, "/").lstrip("./")

    def is_at(self, ran: str) -> bool:
        """The same file, or one of the same relative path that ran on another machine."""
        if _real(os.path.abspath(ran)) == self._real:
            return True
        return not os.path.exists(ran) and ran.replace(os.sep, "/").endswith(self._tail)

    def together(self, a: int, b: int) -> bool:
        """Both lines have the same innermost function, or outside of functions the same loop."""
        scope = self._scope(a)
        return scope is not None and scope == self._scope(b)

    def _scope(self, line: int) -> Span | None:
        functions, loops = self._spans
        inside = [span for span in functions if span[0] <= line <= span[1]]
        if inside:
            return min(inside, key=lambda span: span[1] - span[0])
        around = [span for span in loops if span[0] <= line <= span[1]]
        return max(around, key=lambda span: span[1] - span[0], default=None)

    @cached_property
    def _spans(self) -> tuple[list[Span], list[Span]]:
        source = self._source(self.path)
        try:
            with unwarned():
                tree = ast.parse(source.text if source else "")
        except (SyntaxError, ValueError, RecursionError):
            return [], []
        functions, loops = [], []
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                functions.append((first, node.end_lineno or first))
            elif isinstance(node, (ast.For, ast.While, ast.AsyncFor)):
                loops.append((node.lineno, node.end_lineno or node.lineno))
        return functions, loops


def _confirmed(
    seen: Seen,
    findings: Sequence[Finding],
    files: Mapping[str, _File],
    rules: Mapping[str, RuleText],
) -> list[int]:
    """The findings that it confirms: those of the same line, else those of the same function."""
    same_line, same_function = [], []
    for index, finding in enumerate(findings):
        rule = rules.get(finding.name)
        if finding.cell is not None or not seen.confirms(
            finding.name, rule.confirmed_by if rule else ()
        ):
            continue
        if _share_a_line(seen, finding, files):
            same_line.append(index)
        elif _share_a_function(seen, finding, files[finding.path]):
            same_function.append(index)
    return same_line or same_function


def _share_a_line(seen: Seen, finding: Finding, files: Mapping[str, _File]) -> bool:
    for place in (finding, *finding.chain):
        file = files.get(place.path)
        if file is None or place.cell is not None:
            continue
        last = max(place.line, place.end_line - (place.end_column <= 1))
        for path, line in seen.places:
            if place.line <= line <= last and file.is_at(path):
                return True
    return False


def _share_a_function(seen: Seen, finding: Finding, file: _File) -> bool:
    return any(file.together(finding.line, line) and file.is_at(path) for path, line in seen.places)


def _marked(finding: Finding, by: Sequence[Seen]) -> Finding:
    run = SeenRunning(
        seconds=round(sum(each.seconds for each in by), 6),
        count=sum(int(each.data.get("count", 1)) for each in by),
        causes=tuple(dict.fromkeys(each.cause for each in by)),
        predicted=True,
    )
    what = ", ".join(run.causes)
    return replace(finding, message=f"{finding.message} (confirmed by {what}{_cost(run)})", run=run)


def _cost(run: SeenRunning) -> str:
    times = f", {run.count} times" if run.count > 1 else ""
    lost = f", {run.seconds:.1f} s lost" if run.seconds >= 0.05 else ""
    return times + lost


def _surprise(seen: Seen) -> Finding:
    """A run-time finding that no rule predicted."""
    data = seen.data
    run = SeenRunning(seen.seconds, int(data.get("count", 1)), (seen.cause,), predicted=False)
    advice = f"; {data['advice']}" if data.get("advice") else ""
    return Finding(
        name=data["name"],
        message=f"{data['message']}{advice} (seen in a run{_cost(run)})",
        path=_shown(data["path"]),
        line=data["line"],
        column=1,
        end_line=data["line"],
        end_column=2,
        severity=data.get("severity", "warning"),
        confidence=data.get("confidence", "high"),
        chain=tuple(_place(place) for place in data.get("chain", ())),
        url=data.get("url", ""),
        id=data["id"],
        run=run,
    )


def _place(place: Mapping[str, Any]) -> Place:
    line = place["line"]
    return Place(_shown(place["path"]), line, 1, line, 2, place["message"])


def _shown(path: str) -> str:
    below = os.path.relpath(path) if os.path.isabs(path) else path
    return path if below.startswith(os.pardir) else below


def _wanted(seen: Seen, settings_for: Callable[[str], Settings]) -> bool:
    path = seen.data["path"]
    return path == _NOWHERE or seen.data["name"] not in settings_for(path).ignore


def _warn_of_changes(shown: Iterable[tuple[str, Seen]]) -> None:
    """Lines of a file that was edited since may not be those that ran."""
    changed = {
        path
        for path, seen in shown
        if seen.began and os.path.exists(path) and os.path.getmtime(path) > seen.began
    }
    for path in sorted(changed):
        terminal.note(f"note: {path} was changed after the run; its lines may not match")
