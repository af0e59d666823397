"""`# gotcha: allow[...]`: which findings of a file it covers; comments that are wrong or idle."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from gotcha_lint import registry
from gotcha_lint.config.selection import ALL
from gotcha_lint.finding import Edit, Fix, stable_id
from gotcha_lint.findings.drafts import Draft
from gotcha_lint.text.comments import Comment, Misunderstood
from gotcha_lint.text.lines import line_around, next_line

Comments = Sequence[tuple[int, Comment | Misunderstood]]  # with their offsets


def allowed_by(
    comments: Comments, text: str, draft: Draft, statement: tuple[int, int]
) -> int | None:
    """The offset of the comment that allows this finding, if there is one."""
    for offset, comment in comments:
        if not isinstance(comment, Comment) or not _names(comment, draft.name):
            continue
        if comment.verb == "allow-file":
            return offset
        if comment.verb == "allow" and _covers(text, offset, draft, statement):
            return offset
    return None


def _names(comment: Comment, name: str) -> bool:
    info = registry.rules().get(name)
    return name in comment.names or (info is not None and info.family in comment.names)


def _covers(text: str, offset: int, draft: Draft, statement: tuple[int, int]) -> bool:
    line = line_around(text, offset)
    if not _alone(text, offset):
        header_end = min(statement[1], max(draft.end, line_around(text, statement[0])[1]))
        first = line_around(text, min(statement[0], draft.start))[0]
        return first <= offset <= line_around(text, header_end)[1]
    below = line[1] + 1
    while below < len(text):
        start, end = line_around(text, below)
        words = text[start:end].strip()
        if words and not words.startswith("#"):
            return start <= statement[0] <= end or start <= draft.start <= end
        below = end + 1
    return False


def _alone(text: str, offset: int) -> bool:
    """The comment has its line for itself."""
    return text[line_around(text, offset)[0] : offset].strip() == ""


def about_comments(
    comments: Comments, text: str, used: Collection[int], rules: frozenset[str]
) -> Iterator[Draft]:
    """Comments that follow no known form, and those that allow what is not there."""
    for offset, comment in comments:
        if isinstance(comment, Misunderstood):
            if "unknown-comment" in rules:
                yield _draft("unknown-comment", comment.problem, text, offset, None)
        elif offset not in used and _is_idle(comment, rules):
            names = ", ".join(comment.names)
            message = f"nothing here to allow for `{names}`; remove the comment"
            yield _draft("unused-allow", message, text, offset, _removal(text, offset))


def _is_idle(comment: Comment, rules: frozenset[str]) -> bool:
    """Only where all that it names was looked for: with `--select` one cannot tell."""
    if comment.verb not in ("allow", "allow-file") or "unused-allow" not in rules:
        return False
    return all(name in rules for name in _expanded(comment.names))


def _expanded(names: Sequence[str]) -> list[str]:
    """A family stands for all of its rules; what only a run shows stands for itself."""
    rules = registry.rules().values()
    families = {ALL, *(rule.family for rule in rules)}
    out: list[str] = []
    for name in names:
        out.extend([r.name for r in rules if r.family == name] if name in families else [name])
    return out


def _removal(text: str, offset: int) -> Fix:
    start, end = line_around(text, offset)
    if _alone(text, offset):
        end = next_line(text, offset)
    else:
        start += len(text[start:offset].rstrip())
        end -= text.endswith("\r", 0, end)
    return Fix("remove the comment", (Edit(start, end, ""),))


def _draft(name: str, message: str, text: str, offset: int, fix: Fix | None) -> Draft:
    end = offset + len(text[offset : line_around(text, offset)[1]].rstrip())
    identity = stable_id(name, text[offset:end], "")
    return Draft(name, message, offset, end, "warning", "high", fix, identity)
