"""Refuses a text that LibCST would not survive, before LibCST sees it.

Measured with LibCST 1.9.0, CPython 3.11, on x86-64 Linux, each case in a process of its own:

- Stack per level in `parse_module`: a bracket 5.6 to 8.8 KB, a lambda nested in another one's
  default 13.5 KB, any other link (operator, attribute, call, ternary, comprehension, elif) 1.0 to
  2.6 KB. With the usual 8 MB it segfaults at about 1,200 brackets and 600 such lambdas, with the
  2 MB of Windows at 232 and 152. 800 levels of 2 KB leave room in both.
- Memory grows with the square of the nesting: 200 brackets 150 MB, 1,000 brackets 3 GB.
- `Module.code` needs up to 6 Python frames per bracket and 2 per link, so the default recursion
  limit breaks at 163 subscripts and at 484 operators; `RECURSION_LIMIT` is enough for all that
  passes here. Chains of 2,000 links were safe with a raised limit, but 800 links already take
  0.06 s (operators) to 0.3 s (subscripts), growing with the square.
- A `case` pattern costs 4 times more per bracket: 8 deep 0.06 s, 10 deep 0.9 s, 12 deep 15 s.
- Comparisons, `a = b = ...`, commas, decorators, `except`, `with` and `|` in patterns are flat.
  Indentation beyond 100 levels LibCST refuses by itself, with a syntax error.
- Dense code takes 1 to 1.6 KB of memory per character.
"""

from __future__ import annotations

import re

from gotcha_lint.text.masking import mask, strip
from gotcha_lint.text.unreadable import Unreadable

MAX_BRACKETS = 200  # CPython's own limit
MAX_DEPTH = 800  # of an expression; see the weights below
MAX_ELIFS = 400
MAX_PATTERN = 8
MAX_CHARACTERS = 16_000_000
MAX_CODE = 2_000_000  # characters outside strings and comments

RECURSION_LIMIT = 10_000
"""Generating code for, or walking recursively over, whatever passed needs less than this."""

# A level's weight in units of 2 KB of stack; an opening bracket is also a link (a call).
_BRACKET = 3
_LAMBDA = 8

_SMALL = MAX_DEPTH // (_BRACKET + 1)  # fewer characters cannot be too deep
_LINKS = b"+-*/%@&|^~<>.([{'"
_NO_LINKS = bytes(set(range(256)) - set(_LINKS))
_WORDS = (b"and", b"or", b"not", b"if", b"else", b"for", b"await")

# A line that starts so cannot be inside brackets, so what stands before it cannot nest what follows
_BREAK = re.compile(
    rb"[\r\n][ \t\f]*+(?=(?:def|class|return|import|with|while|try|except|finally|raise|assert|del"
    rb"|pass|break|continue|global|nonlocal)\b)"
)
_INNER = re.compile(rb"[(\[{][^()\[\]{}]{0,40}[)\]}]")
_JOINED = re.compile(rb"[(\[{\\]")
_PASSES = 4
_HIDDEN = _PASSES * (40 + _LAMBDA + _BRACKET)  # depth that `_INNER` may take away in all passes
_CASE = re.compile(rb"[\r\n][ \t\f]*case\b")
_MATCH = re.compile(r"^[ \t\f]*match\b", re.MULTILINE)

_TOKEN = re.compile(
    r"""([(\[{])|([)\]}])|(,)|(\\?(?:\r\n?|\n)|;)|(:=?)|\b(lambda)\b"""
    r"""|(\*\*|//|<<|>>|[-+*/%@&|^~]|\b(?:and|or|not|if|else|for|await)\b"""
    r"""|(?<!\b\d)(?<!\b\d\d)(?<!\b\d\d\d)\.|"(?=[\s\\]*[A-Za-z]{0,2}'))"""
)
_OPEN, _CLOSE, _COMMA, _END, _COLON, _LAMBDA_TOKEN, _LINK = range(1, 8)
_HEAD = re.compile(r"([ \t\f]*)(elif|else|case)?\b")


def guard(text: str) -> None:
    """Raises `Unreadable` for a text that is too large or too deeply nested for LibCST."""
    if len(text) > MAX_CHARACTERS:
        raise _too_large("characters", len(text), MAX_CHARACTERS)
    if len(text) <= _SMALL and "case" not in text:
        return
    code = strip(text)
    if len(code) > MAX_CODE:
        raise _too_large("characters of code", len(code), MAX_CODE)
    if _suspicious(code):
        _refuse_deep(text)


def _suspicious(code: str) -> bool:
    """Whether a text without strings may be too deep. Cheap: most statements are only counted."""
    if code.count("elif") > MAX_ELIFS:
        return True
    pattern = "case" in code and _MATCH.search(code) is not None
    for chunk in _BREAK.split(code.encode("ascii", "replace")):
        has_case = pattern and _CASE.search(chunk)
        if len(chunk) <= _SMALL and not has_case:
            continue
        if has_case and _too_deep(chunk.decode(), pattern):
            return True
        if _bound(chunk) > MAX_DEPTH and _too_deep_if_thinned(chunk):
            return True
    return False


def _too_deep_if_thinned(chunk: bytes) -> bool:
    """Whether `chunk` may be too deep: looks closely only at what is not in small brackets.

    Long tables and scripts without functions come here.
    """
    thinned = chunk
    for _ in range(_PASSES):
        thinned = _INNER.sub(b"~", thinned)  # a sign that counts as a link, as a call does
    lines_apart = not _JOINED.search(thinned)  # then each line is a statement, or less
    if lines_apart and max(map(len, thinned.splitlines())) <= (MAX_DEPTH - _HIDDEN) // 2:
        return False
    if _too_deep(thinned.decode(), False, MAX_DEPTH - _HIDDEN) is None:
        return False
    return _too_deep(chunk.decode(), False) is not None


def _bound(chunk: bytes) -> int:
    """At least the depth of the deepest expression of `chunk`."""
    links = chunk.translate(None, _NO_LINKS)
    brackets = links.count(b"(") + links.count(b"[") + links.count(b"{")
    bound = len(links) + _BRACKET * brackets
    if bound > MAX_DEPTH:
        return bound
    return bound + _LAMBDA * chunk.count(b"lambda") + sum(map(chunk.count, _WORDS))


def _refuse_deep(text: str) -> None:
    code = mask(text)
    found = _too_deep(code, _MATCH.search(code) is not None)
    if found is None:
        return
    what, offset = found
    before = re.split(r"\r\n|\r|\n", text[:offset])
    message = (
        f"{what}; the parser would run out of stack or time. "
        "Split it into several statements, or move the data into a file that is not Python"
    )
    raise Unreadable("too-deeply-nested", message, len(before), len(before[-1]) + 1)


def _too_deep(code: str, pattern: bool, limit: int = MAX_DEPTH) -> tuple[str, int] | None:
    """What is nested too deep in a masked text, and where. `pattern`: there may be `case` lines."""
    stack: list[tuple[int, int, int, int, int]] = []
    # Of the innermost open bracket: links of its current item, depth of the deepest closed bracket
    # in it, depth of its deepest finished item, lambdas whose colon is still to come.
    links = inner = worst = pending = 0
    base = 0  # links and brackets around it
    elifs: list[tuple[int, int]] = []
    word = _next_head(code, 0, elifs)
    in_case = pattern and word == "case"
    for token in _TOKEN.finditer(code):
        kind = token.lastindex
        if kind == _LINK:
            if stack and token[0] == "for":
                base += 1  # for the whole bracket: its targets may hold commas
            else:
                links += 1
            if in_case and not stack and token[0] == "if":
                in_case = False  # the guard of the case is no pattern
        elif kind == _OPEN:
            stack.append((base, links + 1, inner, worst, pending))
            base += links + 1 + _BRACKET
            links = inner = worst = pending = 0
            if len(stack) > MAX_BRACKETS:
                return f"brackets are nested more than {MAX_BRACKETS} deep", token.start()
            if in_case and len(stack) > MAX_PATTERN:
                what = f"brackets of a `case` pattern are nested more than {MAX_PATTERN} deep"
                return what, token.start()
        elif kind == _CLOSE:
            if stack:
                closed = base + max(worst, links + inner)
                base, links, inner, worst, pending = stack.pop()
                closed -= base + links
                inner = max(inner, closed)
        elif kind == _COMMA:
            if not pending:  # else it parts the parameters of a lambda
                worst = max(worst, links + inner)
                links = inner = 0
        elif kind == _COLON:
            if token[0] == ":":
                pending = max(0, pending - 1)
                in_case = in_case and bool(stack)
        elif kind == _LAMBDA_TOKEN:
            links += _LAMBDA
            pending += 1
        elif not stack and token[0][0] != "\\":
            links = inner = worst = pending = 0
            if token[0] != ";":
                word = _next_head(code, token.end(), elifs)
                in_case = pattern and word == "case"
                if sum(count for _, count in elifs) > MAX_ELIFS:
                    what = f"an `if` has more than {MAX_ELIFS} `elif` branches"
                    return what, token.end()
            continue
        if base + links + inner > limit:
            what = f"an expression chains more than {MAX_DEPTH} operators, calls or strings"
            return what, token.start()
    return None


def _next_head(code: str, start: int, elifs: list[tuple[int, int]]) -> str | None:
    """The first word of the line at `start` if it matters; counts the `elif`s that lead to it."""
    head = _HEAD.match(code, start)
    if head is None:  # an empty line, or one that starts with a sign: no `if` follows from it
        return None
    column = len(head[1].expandtabs(8))
    while elifs and elifs[-1][0] > column:
        elifs.pop()
    count = elifs.pop()[1] if elifs and elifs[-1][0] == column else 0
    if head[2] == "elif":
        count += 1
    elif head[2] != "else":
        count = 0
    if count:
        elifs.append((column, count))
    return head[2]


def _too_large(what: str, size: int, limit: int) -> Unreadable:
    message = (
        f"the file has {size:,} {what}, more than the limit of {limit:,}; "
        "exclude it, or move its data into a file that is not Python"
    )
    return Unreadable("file-too-large", message)
