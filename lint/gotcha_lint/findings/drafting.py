"""From forecasts to drafts of findings: places, fixes, identities, allow comments."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterator

import libcst as cst

from gotcha_lint.finding import Fix, stable_id
from gotcha_lint.findings.allowing import Comments, about_comments, allowed_by
from gotcha_lint.findings.drafts import Draft
from gotcha_lint.findings.rewriting import fix_of
from gotcha_lint.rule import Rule, load
from gotcha_lint.task import Forecast, Task
from gotcha_lint.text.comments import parse, scan
from gotcha_lint.text.file_tree import FileTree
from gotcha_lint.text.lines import line_around
from gotcha_lint.text.nodes import walk
from gotcha_lint.text.source import Source

_PARTS = (
    cst.Else,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
    cst.Finally,
    cst.MatchCase,
)


def drafts(source: Source, task: Task, names: frozenset[str]) -> list[Draft]:
    """What the forecasts and comments of a file come to, in the order of the text.

    `names`: what comments may allow. Raises `Unreadable`.
    """
    file = FileTree.of(source)
    return _Drafting(file, _comments(file, names)).drafts(task)


def _comments(file: FileTree, names: frozenset[str]) -> Comments:
    """The comments for the linter; what looks like one in a string is none."""
    found = (
        (offset, parse(comment, names))
        for offset, comment in scan(file.source.text)
        if offset in file.positions.comments
    )
    return [(offset, comment) for offset, comment in found if comment is not None]


class _Drafting:
    """Turns the forecasts about one file into drafts."""

    def __init__(self, file: FileTree, comments: Comments) -> None:
        self.file, self.comments = file, comments
        self.source, self.text = file.source, file.source.text
        self._repeats: Counter[str] = Counter()
        self._blocks: dict[cst.CSTNode, tuple[list[int], list[cst.CSTNode]]] = {}

    def drafts(self, task: Task) -> list[Draft]:
        used: set[int] = set()
        made: list[Draft] = []
        for forecast in task.forecasts:
            draft, statement = self._draft(forecast, task)
            allowed = allowed_by(self.comments, self.text, draft, statement)
            if allowed is not None:
                used.add(allowed)
            elif forecast.certain or task.all:
                made.append(draft)
            # What only may hold is not shown unasked; a comment that allows it is no idle one.
        made.extend(about_comments(self.comments, self.text, used, task.rules))
        return sorted(set(made), key=lambda d: (d.start, d.end, d.name, d.message))

    def _draft(self, forecast: Forecast, task: Task) -> tuple[Draft, tuple[int, int]]:
        """With the span of its statement, which a comment above or in it allows as a whole."""
        line, column, end_line, end_column = forecast.span
        start = self.source.offset(line, column)
        end = self.source.offset(end_line, end_column)
        if end <= start:  # a line as a whole
            start, end = line_around(self.text, start)
            start += len(self.text[start:end]) - len(self.text[start:end].lstrip())
        node = self._statement(start)
        positions = self.file.positions
        span = positions.span(node)
        if isinstance(node, cst.FunctionDef | cst.ClassDef) and start <= span[0] < end:
            start, end = positions.span(node.name)
        fix = self._mend(forecast, task, node, start, end)
        shown = self.text[start:end]
        first = self.text[span[0] : span[1]].partition("\n")[0]
        draft = Draft(
            forecast.name,
            forecast.message,
            start,
            end,
            forecast.severity,
            forecast.confidence,
            fix,
            self._identity(forecast.name, f"{first}|{shown}", forecast.within),
            forecast.chain,
        )
        return draft, span

    def _mend(
        self, forecast: Forecast, task: Task, statement: cst.CSTNode, start: int, end: int
    ) -> Fix | None:
        """The fix that the rule has for the node at this place."""
        rule = load(forecast.name, task.options) if forecast.certain else None
        if rule is None or (type(rule).mend, type(rule).mend_by) == (Rule.mend, Rule.mend_by):
            return None
        if self.text[start] == "(" and self.text[end - 1] == ")":  # LibCST leaves them out
            start, end = start + 1, end - 1
        for node in walk(statement):
            if _can_be_mended(node) and self.file.positions.span(node) == (start, end):
                found = rule.mend_by(forecast.hint, node, statement, self.file)
                return fix_of(found, self.file) if found else None
        return None

    def _statement(self, offset: int) -> cst.CSTNode:
        """The innermost statement around a place; decorators belong to what they decorate."""
        node: cst.CSTNode = self.file.tree
        while True:
            starts, statements = self._block(node)
            index = bisect.bisect_right(starts, offset) - 1
            if index < 0 or self.file.positions.span(statements[index])[1] <= offset:
                return node
            node = statements[index]

    def _block(self, node: cst.CSTNode) -> tuple[list[int], list[cst.CSTNode]]:
        """The statements in a node, in order, with the offsets at which they start; kept."""
        if node not in self._blocks:
            statements = list(_statements(node))
            self._blocks[node] = [self._start(statement) for statement in statements], statements
        return self._blocks[node]

    def _start(self, statement: cst.CSTNode) -> int:
        positions = self.file.positions
        start = positions.span(statement)[0]
        if isinstance(statement, cst.FunctionDef | cst.ClassDef):
            start = min([start, *(positions.span(d)[0] for d in statement.decorators)])
        return start

    def _identity(self, name: str, own: str, within: str) -> str:
        """The same words twice in a function are two findings."""
        base = stable_id(name, own, within)
        self._repeats[base] += 1
        count = self._repeats[base]
        return base if count == 1 else stable_id(name, own, within, count)


def _can_be_mended(node: cst.CSTNode) -> bool:
    """An expression, a name that is imported, or an argument by its name."""
    if isinstance(node, cst.Arg):
        return node.keyword is not None
    return isinstance(node, cst.BaseExpression | cst.ImportAlias)


def _statements(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The statements that stand directly in a block, in any of its parts."""
    for child in node.children:
        if isinstance(child, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            yield child
        elif isinstance(child, (cst.BaseSuite, *_PARTS)):
            yield from _statements(child)
