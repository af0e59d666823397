"""Which known name was meant by one that is not known?"""

from __future__ import annotations

from collections.abc import Collection
from difflib import SequenceMatcher

_ALIKE = 0.75


def meant(name: str, known: Collection[str]) -> str:
    """The one name that differs in the spelling of a single word, or only in its underscores."""
    near = {other for other in known if _is_near(name, other)}
    return near.pop() if len(near) == 1 and name not in known else ""


def _is_near(name: str, other: str) -> bool:
    words, others = name.split("_"), other.split("_")
    if len(words) != len(others):
        return name.replace("_", "") == other.replace("_", "")
    different = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    return len(different) == 1 and _is_slip(*different[0])


def _is_slip(word: str, other: str) -> bool:
    if sorted(word) == sorted(other):
        return True
    if _letters(word) == _letters(other):
        return False  # another number: another thing
    return SequenceMatcher(None, word, other).ratio() >= _ALIKE


def _letters(word: str) -> str:
    return "".join(letter for letter in word if not letter.isdigit())
