"""How many turns a loop has made, by what it counts itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass
class Counted:
    """The turns of one loop. `whole` is False once the counter began again, as in each epoch: how
    far it had come by then is not known."""

    turns: int = 0
    value: int | None = None
    whole: bool = True

    def take(self, value: int) -> None:
        if self.value is not None and value >= self.value:
            self.turns += value - self.value
        elif self.value is not None:
            self.whole = False
        self.value = value


def count(turns: dict[tuple[str, int], Counted], event: Mapping[str, Any]) -> None:
    """Takes in the turn of an event, where it has one."""
    if turn := event.get("turn"):
        turns.setdefault((turn["path"], turn["line"]), Counted()).take(turn["value"])
