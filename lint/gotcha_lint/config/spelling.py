"""A guess at what a misspelt word was meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean "select"?`, or nothing when no known word is close."""
    close = difflib.get_close_matches(word, sorted(known), n=1)
    return f'; did you mean "{close[0]}"?' if close else ""
