"""From reports and forecasts to drafts of findings: places, fixes, identities, allow comments."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint import registry
from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.positions import Positions
from gotcha_lint.analysis.sites import Body, Place
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import Site
from gotcha_lint.finding import Fix, stable_id
from gotcha_lint.finding import Place as Shown
from gotcha_lint.findings.allowing import Comments, about_comments, allowed_by
from gotcha_lint.findings.checking import Reported
from gotcha_lint.findings.drafts import Draft
from gotcha_lint.findings.rewriting import fix_of
from gotcha_lint.rule import Report, Rule, load
from gotcha_lint.task import RuleOptions, Task
from gotcha_lint.text.lines import line_around
from gotcha_lint.text.source import Source

if TYPE_CHECKING:
    from gotcha_lint.task import Forecast

_PARTS = (
    cst.Else,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
    cst.Finally,
    cst.MatchCase,
)
_FAMILIES = frozenset({"capture", "retrace"})  # whose reports and forecasts may share a cause


class Drafting:
    """Turns the reports about one file, and its forecasts, into drafts."""

    def __init__(
        self,
        model: FileModel,
        source: Source,
        positions: Callable[[], Positions],
        comments: Comments,
    ) -> None:
        self.model, self.source, self.text = model, source, source.text
        self._positions, self.comments = positions, comments
        self._options = RuleOptions()
        self._repeats: Counter[str] = Counter()
        self._blocks: dict[cst.CSTNode, tuple[list[int], list[cst.CSTNode]]] = {}

    def drafts(self, reports: Sequence[Reported], task: Task) -> list[Draft]:
        """What reports, forecasts and comments come to, in the order of the text."""
        if not (reports or task.forecasts or self.comments):
            return []
        used: set[int] = set()
        made: list[Draft] = []
        reported: list[Draft] = []
        self._options = task.options
        foretold = self._chains(task.forecasts)
        for rule, body, place, report in reports:
            draft, statement = self._draft(rule, body, place, report)
            line, _, cell = self.source.position(draft.start)
            places = foretold.get((draft.name, line, cell), ())
            draft = replace(draft, places=places) if places and not draft.chain else draft
            reported.append(draft)
            self._keep(draft, statement, made, used)
        for forecast, draft, statement in self._foretold(task.forecasts, reported):
            # What only may hold is not shown unasked; a comment that allows it is no idle one.
            shown = made if forecast.certain or task.all else []
            self._keep(draft, statement, shown, used)
        made.extend(about_comments(self.comments, self.text, self.model.path, used, task.rules))
        return sorted(set(made), key=lambda d: (d.start, d.end, d.name, d.message))

    def _line(self, offset: int) -> int:
        """Of the joined text of a notebook, from 1."""
        return bisect.bisect_right(self.source.line_starts, offset)

    def _keep(
        self, draft: Draft, statement: tuple[int, int], made: list[Draft], used: set[int]
    ) -> None:
        """Adds a draft, or the comment that allows it."""
        allowed = allowed_by(self.comments, self.text, draft, statement)
        if allowed is None:
            made.append(draft)
        else:
            used.add(allowed)

    def _chains(
        self, forecasts: Sequence[Forecast]
    ) -> dict[tuple[str, int, int | None], tuple[Shown, ...]]:
        """The chains of what is certain, for reports that say the same without one."""
        out: dict[tuple[str, int, int | None], tuple[Shown, ...]] = {}
        for forecast in forecasts:
            if forecast.certain:
                offset = self.source.offset(*forecast.span[:2])
                line, _, cell = self.source.position(offset)
                out[forecast.name, line, cell] = forecast.chain
        return out

    def _foretold(
        self, forecasts: Sequence[Forecast], reported: Sequence[Draft]
    ) -> Iterator[tuple[Forecast, Draft, tuple[int, int]]]:
        """Forecasts as drafts, with the spans of their statements; one finding for each cause."""
        rules = registry.rules()
        known: dict[tuple[int, int | None], set[str]] = {}  # names by line and cell
        lines: dict[str, list[int]] = {}  # of the joined cells, by name
        for draft in reported:
            line, _, cell = self.source.position(draft.start)
            known.setdefault((line, cell), set()).add(draft.name)
            lines.setdefault(draft.name, []).append(self._line(draft.start))
        for forecast in forecasts:
            draft, statement = self._forecast(forecast)
            offset = self.source.offset(*forecast.span[:2])  # of a decorator, not of the name below
            line, _, cell = self.source.position(offset)
            chain = [(p.line, p.cell) for p in draft.places if p.path == draft.path]
            here = known.get((line, cell), set())
            around = {name for at in chain for name in known.get(at, ())}
            path, first, last = forecast.about or ("", 0, 0)
            if path == draft.path and any(first <= n <= last for n in lines.get(draft.name, ())):
                continue
            of_captures = rules[draft.name].family in _FAMILIES
            told = of_captures and any(rules[name].family in _FAMILIES for name in here)
            if draft.name in around or told:
                continue
            if draft.name not in here:
                yield forecast, draft, statement

    def _forecast(self, forecast: Forecast) -> tuple[Draft, tuple[int, int]]:
        line, column, end_line, end_column = forecast.span
        start = self.source.offset(line, column)
        end = self.source.offset(end_line, end_column)
        if end <= start:  # a line as a whole
            start, end = line_around(self.text, start)
            start += len(self.text[start:end]) - len(self.text[start:end].lstrip())
        node = self._statement(start)
        span = self._positions().span(node)
        if isinstance(node, cst.FunctionDef | cst.ClassDef) and start <= span[0] < end:
            start, end = self._positions().span(node.name)
        fix = self._mend(forecast, node, start, end)
        shown = self.text[start:end]
        first = self.text[span[0] : span[1]].partition("\n")[0]
        draft = Draft(
            forecast.name,
            forecast.message,
            self.model.path,
            start,
            end,
            forecast.severity,
            forecast.confidence,
            (),
            fix,
            self._identity(forecast.name, f"{first}|{shown}", forecast.within),
            forecast.chain,
        )
        return draft, span

    def _mend(self, forecast: Forecast, statement: cst.CSTNode, start: int, end: int) -> Fix | None:
        """The fix that the rule has for the node at this place."""
        rule = load(forecast.name, self._options) if forecast.certain else None
        if rule is None or (type(rule).mend, type(rule).mend_by) == (Rule.mend, Rule.mend_by):
            return None
        positions = self._positions()
        if self.text[start] == "(" and self.text[end - 1] == ")":  # LibCST leaves them out
            start, end = start + 1, end - 1
        for node in walk(statement):
            if _can_be_mended(node) and positions.span(node) == (start, end):
                found = rule.mend_by(forecast.hint, node, statement, self.model)
                return fix_of(found, self.model, self.text, positions) if found else None
        return None

    def _statement(self, offset: int) -> cst.CSTNode:
        """The innermost statement around a place; decorators belong to what they decorate."""
        node: cst.CSTNode = self.model.tree
        while True:
            starts, statements = self._block(node)
            index = bisect.bisect_right(starts, offset) - 1
            if index < 0 or self._positions().span(statements[index])[1] <= offset:
                return node
            node = statements[index]

    def _block(self, node: cst.CSTNode) -> tuple[list[int], list[cst.CSTNode]]:
        """The statements in a node, in order, with the offsets at which they start; kept."""
        if node not in self._blocks:
            statements = list(_statements(node))
            self._blocks[node] = [self._start(statement) for statement in statements], statements
        return self._blocks[node]

    def _start(self, statement: cst.CSTNode) -> int:
        positions = self._positions()
        start = positions.span(statement)[0]
        if isinstance(statement, cst.FunctionDef | cst.ClassDef):
            start = min([start, *(positions.span(d)[0] for d in statement.decorators)])
        return start

    def _draft(
        self, rule: Rule, body: Body, place: Place | None, report: Report
    ) -> tuple[Draft, tuple[int, int]]:
        """With the span of its statement, which a comment above or in it allows as a whole."""
        positions = self._positions()
        start, end = self._shown(report.node)
        statement = place.at.statement if place is not None else report.node
        span = positions.span(statement)
        first = self.text[span[0] : span[1]].partition("\n")[0]
        fix = report.fix
        draft = Draft(
            rule.name(),
            report.message,
            self.model.path,
            start,
            end,
            rule.severity,
            report.confidence or rule.confidence,
            self._chain(body, report),
            fix_of(fix, self.model, self.text, positions) if fix is not None else None,
            self._identity(rule.name(), f"{first}|{self.text[start:end]}", body.function.qualname),
        )
        if place is None:  # the node may be a part of a statement of several lines
            span = positions.span(self._statement(start))
        return draft, span

    def _chain(self, body: Body, report: Report) -> tuple[tuple[Site, str], ...]:
        chain: list[tuple[Site, str]] = []
        if report.why_traced and body.trace is not None:
            chain.extend(body.trace.chain)
        if report.why_hot:
            chain.extend(body.hot)
        chain.extend(
            ((self.model.path, self.model.number(node)), text) for node, text in report.places
        )
        return tuple(chain)

    def _identity(self, name: str, own: str, within: str) -> str:
        """The same words twice in a function are two findings."""
        base = stable_id(name, own, within)
        self._repeats[base] += 1
        count = self._repeats[base]
        return base if count == 1 else stable_id(name, own, within, count)

    def _shown(self, node: cst.CSTNode) -> tuple[int, int]:
        """What is underlined: the name of a definition, the header of a block, else the node."""
        positions = self._positions()
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            return positions.span(node.name)
        start, end = positions.span(node)
        body = getattr(node, "body", None)
        if isinstance(body, cst.BaseSuite):
            end = max(start, min(end, positions.span(body)[0]))
            end = start + len(self.text[start:end].rstrip(" :\t\r\n"))
        return start, end


def _can_be_mended(node: cst.CSTNode) -> bool:
    """An expression, a pattern, a name that is imported, or an argument by its name."""
    if isinstance(node, cst.Arg):
        return node.keyword is not None
    return isinstance(node, cst.BaseExpression | cst.ImportAlias | cst.MatchPattern)


def _statements(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The statements that stand directly in a block, in any of its parts."""
    for child in node.children:
        if isinstance(child, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            yield child
        elif isinstance(child, (cst.BaseSuite, *_PARTS)):
            yield from _statements(child)
