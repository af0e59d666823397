"""Takes strings and comments out of Python text without parsing it, in linear time."""

from __future__ import annotations

import re

_ESCAPE = r"\\(?:\r\n|.)"


def _plain(quote: str) -> str:
    """Matches a string without replacement fields, from its opening quote on."""
    if len(quote) == 1:
        run = rf"[^{quote}\\\r\n]*+"
        return rf"{quote}(?!{quote}{quote}){run}(?:{_ESCAPE}{run})*+{quote}"
    run = rf"[^{quote[0]}\\]*+"
    return rf"{quote}{run}(?:(?:{_ESCAPE}|{quote[0]}(?!{quote[1:]})){run})*+{quote}"


def _simple(quote: str) -> str:
    """Matches an f-string whose fields are short, and hold no quote of its own and no comment.

    Such a field is too short to matter to the guard, and it ends where it seems to end.
    """
    ends = r"\r\n" if len(quote) == 1 else ""
    inside = rf"[^{quote[0]}\\{{}}#\r\n]"
    field = rf"\{{{inside}{{0,80}}(?:\{{{inside}{{0,40}}\}}{inside}{{0,40}})?\}}"
    run = rf"[^{quote[0]}\\{{}}{ends}]*+"
    again = "" if len(quote) == 1 else rf"|{quote[0]}(?!{quote[1:]})"
    start = rf"{quote}(?!{quote}{quote})" if len(quote) == 1 else quote
    parts = rf"\\(?:\r\n|[^{{}}])|\\(?=[{{}}])|\{{\{{|\}}\}}|{field}{again}"
    return rf"{start}{run}(?:(?:{parts}){run})*+{quote}"


_QUOTES = ('"""', "'''", '"', "'")
STRING = "|".join(map(_plain, _QUOTES))


def _after_first(quote: str) -> str:
    """Matches the rest of a string whose first quote has been read."""
    long = quote * 3
    no_f = rf"(?<![fFtT]{quote})(?<![fFtT][rR]{quote})"
    plain = f"{_plain(long)[1:]}|{_plain(quote)[1:]}"
    simple = f"{_simple(long)[1:]}|{_simple(quote)[1:]}"
    return f"(?<={quote})(?:{no_f}(?:{plain})|{simple})"


# Starts with a character set, so that the search runs over the rest at full speed. The group
# matches, emptily, where a string is not simple or does not end.
_STRIP = re.compile(
    rf"""["'\#](?:(?<=\#)[^\r\n]*+|{_after_first('"')}|{_after_first("'")}|())""", re.DOTALL
)

_F_START = r"(?<!\w)(?:[fFtT][rR]?|[rR][fFtT])(\"\"\"|'''|\"|')"
_CODE = re.compile(rf"\#[^\r\n]*|{_F_START}|(?:{STRING})|[\"']", re.DOTALL)
_FIELD = re.compile(rf"\#[^\r\n]*|{_F_START}|(?:{STRING})|[\"']|[()\[\]{{}}:]", re.DOTALL)
_LITERAL = {quote: re.compile(rf"\{{\{{|\}}\}}|[{{}}]|\\[^{{}}]|{quote}", re.DOTALL)
            for quote in _QUOTES}  # fmt: skip
_SPEC = {quote: re.compile(rf"[{{}}]|{quote}") for quote in _QUOTES}


def strip(text: str) -> str:
    """The text with each string and comment replaced by a string mark, `'"`.

    Replacement fields of simple f-strings go too; if there are others, the result is `mask(text)`.
    """
    parts = _STRIP.split(text)
    return mask(text) if "" in parts[1::2] else "'\"".join(parts[::2])


def mask(text: str) -> str:
    """The text with each comment and each character of a string blanked: offsets stay the same.

    `'` is left where a string starts, `"` where it ends; fields of f-strings stay, in braces.
    """
    out: list[str] = []
    # What is open: an f-string (its quote, -1), a field (its f-string's quote, open brackets >= 0),
    # a format specification (its f-string's quote, -2).
    stack: list[tuple[str, int]] = []
    position = 0
    while True:
        quote, depth = stack[-1] if stack else ("", 0)
        if depth < 0:
            found = (_LITERAL if depth == -1 else _SPEC)[quote].search(text, position)
            end = found.end() if found else len(text)
            out.append(" " * (end - position - 1) + (_literal(found[0], stack) if found else " "))
        else:
            found = (_FIELD if stack else _CODE).search(text, position)
            out.append(text[position : found.start() if found else None])
            if found:
                out.append(_code(found, stack))
        if found is None:
            return "".join(out)[: len(text)]
        position = found.end()


def _code(found: re.Match[str], stack: list[tuple[str, int]]) -> str:
    token = found[0]
    if found[1]:  # an f-string starts; the mark stands right before what may be a field
        stack.append((found[1], -1))
        return token.rstrip("\"'") + " " * (len(found[1]) - 1) + "'"
    if token[0] == "#":
        return " " * len(token)
    if len(token) > 1:
        return "'" + " " * (len(token) - 2) + '"'
    if token in "\"'":
        return " "
    quote, depth = stack[-1]
    if token in "([{":
        stack[-1] = (quote, depth + 1)
    elif token == ":":
        if depth == 0:
            stack.append((quote, -2))
            return " "
    elif depth:
        stack[-1] = (quote, depth - 1)
    elif token == "}":
        stack.pop()
    return token


def _literal(token: str, stack: list[tuple[str, int]]) -> str:
    """The last character of a piece of an f-string that ends in `token`."""
    quote, kind = stack[-1]
    if token == "{":
        stack.append((quote, 0))
        return "{"
    if token == quote:
        while stack.pop()[1] != -1:  # a field or specification that the f-string's end cuts off
            pass
        return '"'
    if token == "}" and kind == -2:
        del stack[-2:]
        return "}"
    return " "
