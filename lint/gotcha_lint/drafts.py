"""From what rules report to findings: positions, suppressions, fixes, identities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from gotcha_lint import registry
from gotcha_lint.analysis.model import FileModel, Imported
from gotcha_lint.analysis.positions import Positions
from gotcha_lint.analysis.sites import Body, Place
from gotcha_lint.analysis.values import Site
from gotcha_lint.comments import Comment, Misunderstood
from gotcha_lint.finding import Confidence, Edit, Fix, Severity, stable_id
from gotcha_lint.rule import Change, Report, Rewrite, Rule
from gotcha_lint.selection import ALL


@dataclass(frozen=True, slots=True)
class Draft:
    """A finding with offsets for places; the chain may point into other files."""

    name: str
    message: str
    path: str
    start: int
    end: int
    severity: Severity
    confidence: Confidence
    chain: tuple[tuple[Site, str], ...]
    fix: Fix | None
    id: str


@dataclass(frozen=True, slots=True)
class _Allow:
    offset: int
    end: int
    names: tuple[str, ...]
    whole_file: bool


class Drafting:
    """Turns the reports about one file into drafts."""

    def __init__(
        self,
        model: FileModel,
        text: str,
        positions: Callable[[], Positions],
        comments: Sequence[tuple[int, Comment | Misunderstood]],
    ) -> None:
        self.model, self.text, self._positions, self.comments = model, text, positions, comments

    def drafts(
        self, reports: Sequence[tuple[Rule, Body, Place | None, Report]], rules: frozenset[str]
    ) -> list[Draft]:
        if not reports and not self.comments:
            return []
        repeats: Counter[str] = Counter()
        used: set[int] = set()
        made: list[Draft] = []
        for rule, body, place, report in reports:
            draft, statement = self._draft(rule, body, place, report, repeats)
            allowed = self._allowed_by(draft, statement)
            if allowed is None:
                made.append(draft)
            else:
                used.add(allowed)
        made.extend(self._about_comments(used, rules))
        return sorted(set(made), key=lambda d: (d.start, d.end, d.name, d.message))

    def _draft(
        self, rule: Rule, body: Body, place: Place | None, report: Report, repeats: Counter[str]
    ) -> tuple[Draft, tuple[int, int]]:
        positions = self._positions()
        start, end = self._shown(report.node)
        statement = place.at.statement if place is not None else report.node
        span = positions.span(statement)
        first = self.text[span[0] : span[1]].partition("\n")[0]
        own = f"{first}|{self.text[start:end]}"
        base = stable_id(rule.name(), own, body.function.qualname)
        repeats[base] += 1
        chain: list[tuple[Site, str]] = []
        if report.why_traced and body.trace is not None:
            chain.extend(body.trace.chain)
        if report.why_hot:
            chain.extend(body.hot)
        chain.extend(
            ((self.model.path, self.model.number(node)), text) for node, text in report.places
        )
        identity = (
            base
            if repeats[base] == 1
            else stable_id(rule.name(), own, body.function.qualname, repeats[base])
        )
        draft = Draft(
            rule.name(),
            report.message,
            self.model.path,
            start,
            end,
            rule.severity,
            report.confidence or rule.confidence,
            tuple(chain),
            self._fix(report.fix) if report.fix is not None else None,
            identity,
        )
        return draft, span

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

    # ---- fixes ---------------------------------------------------------------------------------

    def _fix(self, rewrite: Rewrite) -> Fix:
        edits = [edit for change in rewrite.changes for edit in self._edits(change)]
        edits.extend(
            self._import(module) for module in rewrite.imports if not self._imported(module)
        )
        return Fix(
            rewrite.title, tuple(sorted(edits, key=lambda e: (e.start, e.end))), rewrite.safe
        )

    def _edits(self, change: Change) -> list[Edit]:
        start, end = self._positions().span(change.node)
        if isinstance(change.node, cst.SimpleStatementLine) and change.text == "":
            start = self.text.rfind("\n", 0, start) + 1
            newline = self.text.find("\n", end)
            end = len(self.text) if newline < 0 else newline + 1
        if change.like is not None:
            return [Edit(start, end, self.text[slice(*self._positions().span(change.like))])]
        if change.below:
            return [self._below(start, end, change.below)]
        if change.text is not None:
            return [Edit(start, end, change.before + change.text + change.after)]
        edits = [Edit(start, start, change.before)] if change.before else []
        return edits + ([Edit(end, end, change.after)] if change.after else [])

    def _below(self, start: int, end: int, line: str) -> Edit:
        """A new line after a statement, indented as it is."""
        first = self.text.rfind("\n", 0, start) + 1
        indent = self.text[first:start] if not self.text[first:start].strip() else ""
        end = start + len(self.text[start:end].rstrip())
        newline = self.text.find("\n", end)
        end = len(self.text) if newline < 0 else newline
        end -= self.text[:end].endswith("\r")
        return Edit(end, end, f"{self.model.tree.default_newline}{indent}{line}")

    def _imported(self, module: str) -> bool:
        root = module.partition(".")[0]
        bound = self.model.module.scope.bound.get(root, [])
        return any(isinstance(how, Imported) and how == root for how in bound)

    def _import(self, module: str) -> Edit:
        """`import module` after the last import at the top, else after the module's docstring."""
        offset = 0
        for position, statement in enumerate(self.model.tree.body):
            if not isinstance(statement, cst.SimpleStatementLine):
                break
            first = statement.body[0]
            docstring = position == 0 and isinstance(first, cst.Expr)
            if not docstring and not isinstance(first, cst.Import | cst.ImportFrom):
                break
            end = self._positions().span(statement)[1]
            newline = self.text.find("\n", end)
            offset = len(self.text) if newline < 0 else newline + 1
        newline_text = self.model.tree.default_newline
        return Edit(offset, offset, f"import {module}{newline_text}")

    # ---- comments ------------------------------------------------------------------------------

    def _allowed_by(self, draft: Draft, statement: tuple[int, int]) -> int | None:
        """The offset of the comment that allows this finding, if there is one."""
        for offset, comment in self.comments:
            if not isinstance(comment, Comment) or not _names(comment, draft.name):
                continue
            if comment.verb == "allow-file":
                return offset
            if comment.verb == "allow" and self._covers(offset, draft, statement):
                return offset
        return None

    def _covers(self, offset: int, draft: Draft, statement: tuple[int, int]) -> bool:
        line = self._line_span(offset)
        alone = self.text[line[0] : offset].strip() == ""
        if not alone:
            header_end = min(statement[1], max(draft.end, self._line_span(statement[0])[1]))
            return (
                self._line_span(min(statement[0], draft.start))[0]
                <= offset
                <= self._line_span(header_end)[1]
            )
        below = line[1] + 1
        while below < len(self.text):
            span = self._line_span(below)
            words = self.text[span[0] : span[1]].strip()
            if words and not words.startswith("#"):
                return span[0] <= statement[0] <= span[1] or span[0] <= draft.start <= span[1]
            below = span[1] + 1
        return False

    def _line_span(self, offset: int) -> tuple[int, int]:
        start = self.text.rfind("\n", 0, offset) + 1
        end = self.text.find("\n", offset)
        return start, len(self.text) if end < 0 else end

    def _about_comments(self, used: set[int], rules: frozenset[str]) -> list[Draft]:
        made: list[Draft] = []
        for offset, comment in self.comments:
            if isinstance(comment, Misunderstood):
                made.append(self._comment_draft("unknown-comment", offset, comment.problem, rules))
            elif comment.verb in ("allow", "allow-file") and offset not in used:
                made.extend(self._unused(offset, comment, rules))
        return [draft for draft in made if draft.name in rules]

    def _unused(self, offset: int, comment: Comment, rules: frozenset[str]) -> list[Draft]:
        """Only where all that it names was looked for: with `--select` one cannot tell."""
        if not all(name in rules for name in _expanded(comment.names)):
            return []
        names = ", ".join(comment.names)
        message = f"nothing here to allow for `{names}`; remove the comment"
        draft = self._comment_draft("unused-allow", offset, message, rules)
        return [replace(draft, fix=self._removal(offset))]

    def _removal(self, offset: int) -> Fix:
        line = self._line_span(offset)
        alone = self.text[line[0] : offset].strip() == ""
        start = line[0] if alone else line[0] + len(self.text[line[0] : offset].rstrip())
        end = (
            min(line[1] + 1, len(self.text))
            if alone
            else line[1] - self.text[: line[1]].endswith("\r")
        )
        return Fix("remove the comment", (Edit(start, end, ""),))

    def _comment_draft(self, name: str, offset: int, message: str, rules: frozenset[str]) -> Draft:
        end = self._line_span(offset)[1]
        end = offset + len(self.text[offset:end].rstrip())
        identity = stable_id(name, self.text[offset:end], "")
        return Draft(
            name, message, self.model.path, offset, end, "warning", "high", (), None, identity
        )


def _names(comment: Comment, name: str) -> bool:
    info = registry.rules().get(name)
    return name in comment.names or (info is not None and info.family in comment.names)


def _expanded(names: Sequence[str]) -> list[str]:
    """A family stands for all of its rules; what only a run shows stands for itself."""
    rules = registry.rules().values()
    families = {ALL, *(rule.family for rule in rules)}
    out: list[str] = []
    for name in names:
        out.extend([r.name for r in rules if r.family == name] if name in families else [name])
    return out
