"""Reads the mutators: a file of patches for each rule.

What the fault is.

=== HOST: what this one is called
shows: SYMPTOM              (a function of `symptoms.py`, and its argument)
in a new interpreter        (if it has to be)
--- FILE
@@
 a line of the host that stays
-a line that goes
+a line that comes          # <- marks where the rule has to report
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.planted import symptoms
from benchmarks.planted.plant import Edit, Plant, PlantError
from benchmarks.planted.symptoms import Symptom

SYMPTOMS = {
    "raises": symptoms.raises,
    "compiles": lambda text: symptoms.compiles(int(text)),
    "differs": symptoms.differs,
    "same": symptoms.same,
    "prints": symptoms.prints,
    "warns": symptoms.warns,
    "pickles": lambda _: symptoms.pickles(),
    "leaves": symptoms.leaves,
    "not run": symptoms.unseen,
}


def plants(text: str) -> list[Plant]:
    """All plants of a file; PlantError."""
    return [_plant(part) for part in text.split("\n=== ")[1:]]


def _plant(text: str) -> Plant:
    head, *bodies = text.rstrip("\n").split("\n--- ")
    title, shows, *rest = head.split("\n")
    host, _, name = title.partition(": ")
    edits = tuple(edit for body in bodies for edit in _edits(body))
    return Plant(host, name, _symptom(shows), edits, rest == ["in a new interpreter"])


def _symptom(line: str) -> Symptom:
    said = line.removeprefix("shows: ")
    for name, make in SYMPTOMS.items():
        if said == name or said.startswith((f"{name} ", f"{name}: ")):
            return make(said[len(name) :].lstrip(": "))
    raise PlantError(f"no such symptom: {line}")


def _edits(body: str) -> Iterator[Edit]:
    path, *hunks = body.split("\n@@\n")
    for hunk in hunks:
        lines = hunk.split("\n")
        yield Edit(path, _side(lines, "-"), _side(lines, "+"))


def _side(lines: list[str], sign: str) -> tuple[str, ...]:
    """A hunk before (`-`) or after (`+`); an empty line is one that stays."""
    for line in lines:
        if line[:1] not in ("", " ", "+", "-"):
            raise PlantError(f"neither stays, goes nor comes: {line!r}")
    return tuple(line[1:] for line in lines if line[:1] in ("", " ", sign))
