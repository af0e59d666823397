"""The mutators, found by being there, and the programs that they make."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.planted import patches, variants
from benchmarks.planted.plant import Plant
from benchmarks.planted.program import HERE, Program, planted

MUTATORS = HERE / "mutators"


def rules() -> list[str]:
    """Names of the rules that have a mutator."""
    return sorted(file.stem.replace("_", "-") for file in MUTATORS.glob("*.patch"))


def plants(rule: str) -> list[Plant]:
    file = MUTATORS / f"{rule.replace('-', '_')}.patch"
    return patches.plants(file.read_text(encoding="utf-8"))


def programs(rule: str) -> Iterator[Program]:
    """Each plant of the rule, in some of the ways to write it."""
    for turn, plant in enumerate(plants(rule)):
        yield from variants.of(planted(plant), turn)
