"""What a mutator says: which host, which lines, and how the fault shows."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.planted.symptoms import Symptom

MARK = "  # <-"
"""Ends a line at which, or in whose function, the rule has to report. Taken off before linting."""


class Edit(NamedTuple):
    """Lines of a host's file, which are there once, and what takes their place."""

    path: str
    old: tuple[str, ...]
    new: tuple[str, ...]


class Plant(NamedTuple):
    """A fault in one host."""

    host: str
    name: str
    symptom: Symptom
    edits: tuple[Edit, ...]
    fresh: bool = False
    """To be run in a new interpreter, in which JAX was not imported before."""

    @property
    def title(self) -> str:
        return f"{self.host}: {self.name}"


class PlantError(ValueError):
    """A mutator that cannot be read, or names lines that its host does not have once."""


def edited(text: str, change: Edit) -> str:
    """The text after an edit; PlantError."""
    lines, size = text.split("\n"), len(change.old)
    starts = [i for i in range(len(lines) - size + 1) if tuple(lines[i : i + size]) == change.old]
    if not text and not change.old:
        return "\n".join(change.new) + "\n"
    if len(starts) != 1 or not change.old:
        raise PlantError(f"{change.path}: {len(starts)} times: {change.old}")
    lines[starts[0] : starts[0] + size] = change.new
    return "\n".join(lines)
