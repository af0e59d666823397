"""Which events a record takes, so that a run of days has a record of a bounded size.

Reads hold all reads so far, and memory is a sample: in a long run most of them say the same. They
are written at distances that grow with the run: their number grows with its logarithm.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SHARE = 0.005  # of the run's time, between two rows of one kind
_FIRST = 1000  # memory samples that are all written: a short run has no others
_STAGES = 5000  # traces, lowerings and compiles: the program's row has their seconds too

Json = Mapping[str, Any]


class Thinning:
    """What to write of the events of one record, as they come."""

    def __init__(self) -> None:
        self._stages = 0
        self._samples = 0
        self._sampled = self._read = -1e9
        self._reads: dict[tuple[str, int, str], Any] = {}

    def keeps(self, event: Json) -> Json | None:
        """The event to write: this one, or for reads one with all that were held back; or None."""
        match event.get("event"):
            case "trace" | "lower" | "compile":
                self._stages += 1
                return event if self._stages <= _STAGES else None
            case "memory":
                return event if self._sample(event["at"]) else None
            case "reads":
                for row in event["rows"]:
                    self._reads[row["path"], row["line"], row["how"]] = row
                due = max(1.0, _SHARE * event["at"])
                return self.rest(event["at"]) if event["at"] - self._read >= due else None
        return event

    def rest(self, at: float) -> Json | None:
        """The reads that were held back; None where there are none."""
        if not self._reads:
            return None
        rows, self._reads, self._read = list(self._reads.values()), {}, at
        return {"event": "reads", "at": at, "rows": rows}

    def _sample(self, at: float) -> bool:
        self._samples += 1
        if self._samples > _FIRST and at - self._sampled < _SHARE * at:
            return False
        self._sampled = at
        return True
