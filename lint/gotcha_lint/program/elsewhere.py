"""What the other files of a project say, word by word (floor `program`).

A unit sees a file and what that imports. That *no* file does a thing, such as a scan over a layer,
follows from all files alone, also from those that import it. The answers come from words, comments
included: they over-approximate. What was asked is kept with the answers, so that what follows from
them can be kept until one of them changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

_WORD = re.compile(rb"[^\W\d]\w*")
_CALLED = re.compile(rb"(?<!def )(?<!class )\b(?:([^\W\d]\w*)\s*\.\s*)?([^\W\d]\w*)\s*\(")

Answer = tuple[str, str, str, bool]  # how it was asked, for which word, beside which file


@dataclass(slots=True)
class Elsewhere:
    """`raw`: the files that imports join. Asked for names; remembers what it has answered."""

    raw: Mapping[str, bytes] = field(default_factory=dict)
    known: dict[tuple[str, str, str], bool] = field(default_factory=dict)

    def says(self, words: Iterable[str], path: str) -> bool:
        """Has a file other than the one at `path` one of these words?"""
        return any([self._ask("says", word, path) for word in sorted(words)])

    def calls(self, names: Iterable[str], path: str = "", but: str = "") -> bool:
        """Does a file other than the one at `path` call one of these: `scan`, or `lax.scan`?

        A name without a dot is called whatever stands before it, `but` for this: `lax`.
        """
        return any([self._ask(f"calls {but}", name, path) for name in sorted(names)])

    @property
    def answers(self) -> tuple[Answer, ...]:
        return tuple((*question, answer) for question, answer in sorted(self.known.items()))

    def still_answers(self, answers: Iterable[Answer]) -> bool:
        """Would it say the same now?"""
        return all(self._ask(how, word, path) == answer for how, word, path, answer in answers)

    def _ask(self, how: str, word: str, path: str) -> bool:
        question = (how, word, path)
        if question not in self.known:
            name = word.encode()
            others = (text for other, text in self.raw.items() if other != path)
            if how == "says":
                self.known[question] = any(name in _words_in(text) for text in others)
            else:
                but = how.partition(" ")[2].encode()
                self.known[question] = any(_calls(text, name, but) for text in others)
        return self.known[question]


@lru_cache(maxsize=4096)
def _words_in(text: bytes) -> frozenset[bytes]:
    return frozenset(_WORD.findall(text))


@lru_cache(maxsize=4096)
def _calls_in(text: bytes) -> frozenset[tuple[bytes, bytes]]:
    """What is called, and the name before the dot."""
    return frozenset(_CALLED.findall(text))


def _calls(text: bytes, name: bytes, but: bytes) -> bool:
    base, _, last = name.rpartition(b".")
    if base:
        return (base, last) in _calls_in(text)
    return any(called == last and (not but or of != but) for of, called in _calls_in(text))
