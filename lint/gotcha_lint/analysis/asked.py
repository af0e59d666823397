"""What was asked of a project while one of its files was looked at.

What an analysis found of a file stays true as long as the answers stay the same: so a later run
knows what it need not work out again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from sys import intern
from typing import Any

from gotcha_lint.analysis.summary import FunctionSummary, Summary
from gotcha_lint.analysis.usage import Usage

Part = tuple[str, str, Any]  # path, field of the summary, number or name: `part_of` finds it
Kept = tuple[tuple[Part, ...], tuple[str, ...]]  # parts and modules, in little room
Question = tuple[Any, ...]  # the name of a method or field, and what it was asked about


class Asked:
    """The parts of files' summaries that were read, the last words of the modules that were looked
    for, and the answers to questions about all files."""

    __slots__ = ("answers", "modules", "parts")

    def __init__(self) -> None:
        self.parts: set[Part] = set()
        self.modules: set[str] = set()
        self.answers: dict[Question, Any] = {}

    def add(self, other: Asked) -> None:
        self.parts |= other.parts
        self.modules |= other.modules
        self.answers |= other.answers

    def kept(self) -> Kept:
        return tuple(self.parts), tuple(map(intern, self.modules))

    def add_kept(self, kept: Kept) -> None:
        parts, modules = kept
        self.parts.update(parts)
        self.modules.update(modules)


def part_of(summary: Summary, part: Part) -> Any:
    """What a summary says there; None where there is no such thing."""
    field, key = part[1:]
    held = getattr(summary, field)
    if key is None:
        return held
    if isinstance(held, dict):
        return held.get(key)
    found = held[key] if key < len(held) else None
    # Which functions its body names matters to the order of the rounds alone.
    return found._replace(uses=frozenset()) if isinstance(found, FunctionSummary) else found


class Watched:
    """A mapping or set of a `Usage` that notes what is asked of it."""

    def __init__(self, held: Any, field: str, answers: dict[Question, Any]) -> None:
        self._held, self._field, self._answers = held, field, answers

    def get(self, key: Any, default: Any = None) -> Any:
        found = self._held.get(key)
        self._answers[self._field, key] = found
        return default if found is None else found

    def __contains__(self, key: Any) -> bool:
        found = self._answers[self._field, key] = key in self._held
        return found

    def __bool__(self) -> bool:
        return bool(self._all())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._all())

    def items(self) -> Collection[tuple[Any, Any]]:
        return self._all().items()

    def _all(self) -> Any:
        self._answers[self._field,] = self._held
        return self._held


def watched(usage: Usage, answers: dict[Question, Any]) -> Usage:
    """The usage, noting in `answers` what is asked of it."""
    return Usage(*(Watched(held, name, answers) for name, held in usage._asdict().items()))  # type: ignore[arg-type]


def stands(usage: Usage, question: Question, answer: Any) -> bool:
    """Whether a usage answers a question as another one did."""
    held = getattr(usage, question[0])
    if len(question) == 1:
        return held == answer
    key = question[1]
    return (key in held if isinstance(answer, bool) else held.get(key)) == answer
