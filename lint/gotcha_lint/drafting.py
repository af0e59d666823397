"""From what rules report to drafts of findings: places, fixes, identities, what comments allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import libcst as cst

from gotcha_lint.allowing import Comments, about_comments, allowed_by
from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.positions import Positions
from gotcha_lint.analysis.sites import Body, Place
from gotcha_lint.analysis.values import Site
from gotcha_lint.checking import Reported
from gotcha_lint.drafts import Draft
from gotcha_lint.finding import stable_id
from gotcha_lint.rewriting import fix_of
from gotcha_lint.rule import Report, Rule


class Drafting:
    """Turns the reports about one file into drafts."""

    def __init__(
        self,
        model: FileModel,
        text: str,
        positions: Callable[[], Positions],
        comments: Comments,
    ) -> None:
        self.model, self.text, self._positions, self.comments = model, text, positions, comments
        self._repeats: Counter[str] = Counter()

    def drafts(self, reports: Sequence[Reported], rules: frozenset[str]) -> list[Draft]:
        """What the reports and the comments come to, in the order of the text."""
        if not reports and not self.comments:
            return []
        used: set[int] = set()
        made: list[Draft] = []
        for rule, body, place, report in reports:
            draft, statement = self._draft(rule, body, place, report)
            allowed = allowed_by(self.comments, self.text, draft, statement)
            if allowed is None:
                made.append(draft)
            else:
                used.add(allowed)
        made.extend(about_comments(self.comments, self.text, self.model.path, used, rules))
        return sorted(set(made), key=lambda d: (d.start, d.end, d.name, d.message))

    def _draft(
        self, rule: Rule, body: Body, place: Place | None, report: Report
    ) -> tuple[Draft, tuple[int, int]]:
        """With the span of its statement."""
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
            self._identity(rule.name(), f"{first}|{self.text[start:end]}", body),
        )
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

    def _identity(self, name: str, own: str, body: Body) -> str:
        """The same words twice in a function are two findings."""
        base = stable_id(name, own, body.function.qualname)
        self._repeats[base] += 1
        count = self._repeats[base]
        return base if count == 1 else stable_id(name, own, body.function.qualname, count)

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
