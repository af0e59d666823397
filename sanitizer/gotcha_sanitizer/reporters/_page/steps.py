"""Compiles over the iterations of the training loop, where the loop has a counter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from gotcha_sanitizer.run.record import Json, Run
from gotcha_sanitizer.values.words import short


@dataclass(frozen=True)
class Steps:
    """The loop in words, and the iteration of each program by its number and process."""

    loop: str
    turns: Mapping[tuple[int, int], int]

    def of(self, program: Json) -> int:
        return self.turns[_number(program)]

    @property
    def end(self) -> int:
        return max(self.turns.values())


def steps(run: Run) -> Steps | None:
    """By the loop in which most iterations compiled; None where no counter is seen to only go up.

    What ran outside of that loop stands at the turn that was reached then.
    """
    seen: dict[tuple[str, int, str], list[int]] = defaultdict(list)
    for program in run.programs:
        if found := program.get("turn"):
            seen[found["path"], found["line"], found["name"]].append(found["value"])
    rising = {loop: values for loop, values in seen.items() if values == sorted(values)}
    chosen = max(rising, key=lambda loop: len(set(rising[loop])), default=None)
    if chosen is None or len(set(rising[chosen])) < 2:
        return None
    reached, turns = min(rising[chosen][0], 0), {}
    for program in run.programs:
        found = program.get("turn")
        if found and (found["path"], found["line"], found["name"]) == chosen:
            reached = found["value"]
        turns[_number(program)] = reached
    path, line, name = chosen
    counter = "the iterations" if name.strip("_") == "" else f"`{name}`"  # `for _ in range(9)`
    return Steps(f"{counter} of the loop at {short(path)}:{line}", turns)


def _number(program: Json) -> tuple[int, int]:
    return program.get("pid", 0), program["program"]
