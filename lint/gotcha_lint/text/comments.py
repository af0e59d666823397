"""Comments in users' code: one grammar, one parser, for the linter and the sanitizer.

# gotcha: allow[name, other] reason       on a line, or above the statement
# gotcha: allow-file[name] reason         anywhere
# gotcha: traced | host | static(n, m)    on a `def`: declares
# gotcha: shows[name] why                 marks an exemplary place
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

Verb = Literal["allow", "allow-file", "traced", "host", "static", "shows"]
VERBS: tuple[Verb, ...] = ("allow", "allow-file", "traced", "host", "static", "shows")

MARK = re.compile(r"#\s*gotcha\s*:\s*(?P<rest>.*)")
_FORM = re.compile(
    r"(?P<verb>allow-file|allow|shows)\s*\[(?P<names>[^\]]*)\]\s*(?P<reason>.*)"
    r"|static\s*\((?P<static>[^)]*)\)(?P<after>.*)"
    r"|(?P<bare>traced|host)\b(?P<tail>.*)"
)


@dataclass(frozen=True, slots=True)
class Comment:
    """One understood comment. `names` are rules, or the parameters of `static(...)`."""

    verb: Verb
    names: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Misunderstood:
    """A `# gotcha:` comment that follows no known form; `problem` says what to write."""

    problem: str


def parse(text: str, rules: Collection[str]) -> Comment | Misunderstood | None:
    """The meaning of one comment's text (from its `#` on); None if it is not ours.

    `rules` are the names (and families) that `allow` may hold.
    """
    mark = MARK.match(text)
    if mark is None:
        return None
    rest = mark["rest"].strip()
    form = _FORM.match(rest)
    if form is None:
        return Misunderstood(_suggest(rest))
    if form["bare"]:
        return Comment(form["bare"], (), form["tail"].strip())  # type: ignore[arg-type]
    if form["static"] is not None:
        return Comment("static", _split(form["static"]), form["after"].strip())
    names = _split(form["names"])
    unknown = [name for name in names if name not in rules]
    if not names:
        return Misunderstood(
            f"`{form['verb']}[...]` names no gotcha; write `{form['verb']}[name] reason`"
        )
    if unknown:
        close = difflib.get_close_matches(unknown[0], list(rules), 1)
        hint = f"; did you mean `{close[0]}`?" if close else "; see `gotcha-lint --list-rules`"
        return Misunderstood(f"`{unknown[0]}` is not a known gotcha{hint}")
    return Comment(form["verb"], names, form["reason"].strip())  # type: ignore[arg-type]


def _split(names: str) -> tuple[str, ...]:
    return tuple(name for name in re.split(r"[,\s]+", names.strip()) if name)


def _suggest(rest: str) -> str:
    word = re.split(r"[\s\[(:]", rest, maxsplit=1)[0]
    close = difflib.get_close_matches(word, VERBS, 1, 0.5)
    if word in ("allow", "allow-file", "shows"):
        return f"put the names in brackets: `# gotcha: {word}[name] reason`"
    if close:
        form = {"allow": "allow[name] reason", "static": "static(name)"}.get(close[0], close[0])
        return f"`{word}` is not understood; did you mean `# gotcha: {form}`?"
    return f"`{word}` is not understood; use " + ", ".join(f"`{verb}`" for verb in VERBS)


def scan(text: str) -> Iterator[tuple[int, str]]:
    """Offsets and texts of comments that may be ours, strings not excluded."""
    for match in re.finditer(r"#[ \t]*gotcha[ \t]*:[^\n\r]*", text):
        yield match.start(), match.group()
