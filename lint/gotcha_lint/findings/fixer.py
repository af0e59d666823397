"""Applies fixes, looks at the result, and takes back what did not help.

A pass applies every disjoint fix of every file and lints the result once. Only when that shows a
finding that stays, or a new one, the fixes are tried again file by file, then one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gotcha_lint.finding import Edit, Finding
from gotcha_lint.formats import SourceText

MAX_PASSES = 10


class LintFailed(Exception):
    """Raised by the callback when the changed files cannot be judged."""


Findings = Mapping[str, Sequence[Finding]]
LintMany = Callable[[Mapping[str, bytes]], Findings]


class SourceFile(SourceText, Protocol):
    """What fixing needs of `source.Source`."""

    def encode(self, text: str, /) -> bytes: ...


Decode = Callable[[str, bytes], SourceFile]
Parses = Callable[[str], bool]


_SEVERITIES = ("info", "warning", "error")


@dataclass(frozen=True)
class TakenBack:
    """A fix that was tried and did not help."""

    finding: Finding
    reason: str


@dataclass
class Outcome:
    """`texts` holds the files that changed, `findings` what is left in every file."""

    findings: Findings
    texts: dict[str, str] = field(default_factory=dict)
    applied: list[Finding] = field(default_factory=list)
    taken_back: list[TakenBack] = field(default_factory=list)


def apply_fixes(
    text: str, findings: Iterable[Finding], unsafe: bool
) -> tuple[str, tuple[Finding, ...]]:
    """The text with all fixes that do not touch each other; of two that do, the first one wins."""
    taken: list[Edit] = []
    applied: list[Finding] = []
    for finding in findings:
        fix = finding.fix
        if fix is None or not fix.edits or not (fix.safe or unsafe):
            continue
        fresh = [edit for edit in fix.edits if not _is_shared(edit, taken)]
        if any(not _fits(edit, text) or _clashes(edit, taken) for edit in fresh):
            continue
        taken += fresh
        applied.append(finding)
    return edited(text, taken), tuple(applied)


def _is_shared(edit: Edit, taken: Sequence[Edit]) -> bool:
    """Two fixes may ask for the same replacement, or for the same whole line, such as an import."""
    return edit in taken and (edit.end > edit.start or edit.text.endswith(("\n", "\r")))


def _fits(edit: Edit, text: str) -> bool:
    return 0 <= edit.start <= edit.end <= len(text)


def _clashes(edit: Edit, taken: Sequence[Edit]) -> bool:
    return any(
        (edit.start < other.end and other.start < edit.end)
        or (edit.start == edit.end == other.start == other.end)
        for other in taken
    )


def edited(text: str, edits: Sequence[Edit]) -> str:
    """The text with all of the edits, which do not overlap."""
    parts: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        parts += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*parts, text[done:]])


def fix_file(
    path: str,
    source: SourceFile,
    findings: Sequence[Finding],
    lint_text: Callable[[str, bytes], Sequence[Finding]],
    *,
    unsafe: bool = False,
) -> Outcome:
    """`fix_files` for one file that is linted by itself."""

    def lint_many(overlay: Mapping[str, bytes]) -> Findings:
        return {path: lint_text(path, overlay[path])}

    return fix_files({path: source}, {path: findings}, lint_many, unsafe=unsafe)


def fix_files(
    sources: Mapping[str, SourceFile],
    findings: Findings,
    lint_many: LintMany,
    *,
    unsafe: bool = False,
    decode: Decode | None = None,
    parses: Parses | None = None,
) -> Outcome:
    """Fixes what can be fixed, in memory; `lint_many` lints all files with these contents."""
    fixing = _Fixing(sources, lint_many, unsafe, decode or _decode, parses or _parses, findings)
    for _ in range(MAX_PASSES):
        if not fixing.one_pass():
            break
    return fixing.outcome


Batch = dict[str, tuple[str, tuple[Finding, ...]]]


class _Fixing:
    """The state between passes."""

    def __init__(
        self,
        sources: Mapping[str, SourceFile],
        lint_many: LintMany,
        unsafe: bool,
        decode: Decode,
        parses: Parses,
        findings: Findings,
    ) -> None:
        self.sources, self.lint_many, self.unsafe = sources, lint_many, unsafe
        self.decode, self.parses = decode, parses
        self.outcome = Outcome(findings)
        self._refused: set[tuple[str, str, str, str]] = set()

    def one_pass(self) -> bool:
        """Whether anything was applied."""
        before = len(self.outcome.applied)
        batch: Batch = {}
        for path in self.sources:
            text, applied = apply_fixes(self._text(path), self._open(path), self.unsafe)
            if applied:
                batch[path] = text, applied
        if batch and self._try(batch):
            for path in batch:
                self._separately(path, first=len(batch) == 1)
        return len(self.outcome.applied) > before

    def _separately(self, path: str, first: bool) -> None:
        """The fixes of one file: together, and where that fails, one after the other."""
        text, applied = apply_fixes(self._text(path), self._open(path), self.unsafe)
        if not first and applied and not self._try({path: (text, applied)}):
            return
        for _ in applied:
            chosen = next((f for f in self._open(path) if self._is_allowed(f)), None)
            if chosen is None:
                return
            text, one = apply_fixes(self._text(path), [chosen], self.unsafe)
            reason = self._try({path: (text, one)}) if one else "its edits do not fit the file"
            if reason:
                self._refused.add(_key(chosen))
                self.outcome.taken_back.append(TakenBack(chosen, reason))

    def _try(self, batch: Batch) -> str:
        """Takes the batch over and returns "", or leaves all as it was and says why."""
        overlay: dict[str, bytes] = {}
        texts = self.outcome.texts | {path: text for path, (text, _) in batch.items()}
        for path, text in texts.items():
            try:
                overlay[path] = self.sources[path].encode(text)
                readable = self.parses(self.decode(path, overlay[path]).text)
            except Exception as error:  # an encoding that lacks a character, a guard, a lost cell
                return f"the result cannot be written: {error}"
            if not readable:
                return "the result is not valid Python"
        try:
            after = self.lint_many(overlay)
        except LintFailed as error:
            return str(error)
        if reason := self._worse(batch, after):
            return reason
        self.outcome.texts, self.outcome.findings = texts, after
        self.outcome.applied += [finding for _, applied in batch.values() for finding in applied]
        return ""

    def _worse(self, batch: Batch, after: Findings) -> str:
        """Why the batch is no gain. One that mends an error may bring up a warning."""
        for path in {*after, *batch}:
            applied = batch[path][1] if path in batch else ()
            mended = min((_SEVERITIES.index(f.severity) for f in applied), default=0)
            allowed = Counter(finding.name for finding in self.outcome.findings.get(path, ()))
            allowed.subtract(finding.name for finding in applied)
            now = after.get(path, ())
            for name, count in Counter(finding.name for finding in now).items():
                if count > allowed[name]:
                    weight = max(_SEVERITIES.index(f.severity) for f in now if f.name == name)
                    if weight < mended:
                        continue
                    stays = {f.id for f in applied} & {f.id for f in now if f.name == name}
                    return "the finding stays" if stays else f"it brings up `{name}` in {path}"
        return ""

    def _text(self, path: str) -> str:
        changed = self.outcome.texts.get(path)
        return self.sources[path].text if changed is None else changed

    def _open(self, path: str) -> list[Finding]:
        found = self.outcome.findings.get(path, ())
        return [finding for finding in found if _key(finding) not in self._refused]

    def _is_allowed(self, finding: Finding) -> bool:
        fix = finding.fix
        return fix is not None and bool(fix.edits) and (fix.safe or self.unsafe)


def _key(finding: Finding) -> tuple[str, str, str, str]:
    title = finding.fix.title if finding.fix else ""
    return finding.path, finding.name, finding.id or f"{finding.line}:{finding.column}", title


def _decode(path: str, raw: bytes) -> SourceFile:
    from gotcha_lint.text.source import decode

    return decode(path, raw)


def _parses(text: str) -> bool:
    import libcst

    try:
        libcst.parse_module(text)
    except Exception:  # a syntax error, or any other way in which the parser refuses
        return False
    return True
