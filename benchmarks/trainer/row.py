"""What a measurement says, and how large it is to be."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

Choice = TypeVar("Choice")
ORDERS = {"<=": operator.le, ">=": operator.ge, "==": operator.eq}


@dataclass(frozen=True)
class Row:
    """One number; its value is None where it could not be measured, and the note says why."""

    name: str
    value: float | None
    unit: str = ""  # "x" is a ratio
    target: str = ""  # "<= 0.5", ">= 8", "== 1"; "" is reported only
    note: str = ""

    @property
    def met(self) -> bool | None:
        """None without a target or a value."""
        if not self.target or self.value is None or math.isnan(self.value):
            return None
        order, number = self.target.split()
        return ORDERS[order](self.value, float(number))


class Size(NamedTuple):
    """For which platform, and whether the smallest form is enough; this runs anywhere."""

    platform: str  # "cpu" or "gpu"
    quick: bool

    def pick(self, quick: Choice, cpu: Choice, gpu: Choice) -> Choice:
        if self.quick:
            return quick
        return gpu if self.platform == "gpu" else cpu

    @property
    def rounds(self) -> int:
        return 2 if self.quick else 5


class Family(Protocol):
    """A module in `measures/`."""

    __doc__: str | None
    SECONDS: dict[str, int]  # by the platforms it is for

    def measure(self, size: Size) -> Iterator[Row]: ...


def unmeasured(name: str, error: BaseException, **more: Any) -> Row:
    """What is left of a measurement that failed."""
    first = str(error).strip().partition("\n")[0]
    return Row(name, None, note=f"{type(error).__name__}: {first[:160]}", **more)
