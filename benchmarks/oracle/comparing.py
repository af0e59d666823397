"""Prediction beside truth, for each function that a program compiled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.oracle.recording import Recorded, events
from gotcha_lint.config.settings import SettingsFinder
from gotcha_lint.tools import Tools
from gotcha_lint.views.compiles import Row, is_of

Event = Mapping[str, Any]
Why = tuple[str, str]  # cause, argument (or "")

CAUSES: Mapping[str, tuple[str, ...]] = {
    "identity": ("new-function",),
    "once": ("new-function",),
    "value": ("static-value", "static-identity", "pytree-static"),
    "object": ("static-identity", "static-value", "pytree-static"),
    "data": ("pytree-static",),
    "shape": ("shape",),
    "ragged": ("shape",),
    "length": ("pytree", "shape"),
    "structure": ("pytree", "pytree-static"),
    "dtype": ("dtype",),
    "weak": ("weak-type",),
    "transform": ("transform",),
    "style": ("call-style",),
}
"""What a run says where the engine gives one of its reasons."""
AGAIN = ("new-function", "jit-options", "transform")
"""Causes for which two places that compile one function are reason enough."""
CLOSE = 0.01  # of the bytes
SMALL = 64  # bytes: the sanitizer looks at no smaller arrays


@dataclass(frozen=True)
class Compared:
    """A user's function that was compiled, and the rows that the engine has for it."""

    set: str
    program: str
    place: str  # file:line
    function: str
    ran: int
    why: tuple[tuple[Why, ...], ...]  # of all programs but the first: what differs, the main first
    bytes: int  # of constants, in its largest program
    rows: tuple[Row, ...]
    ended: bool = False  # the program ended with an error, so calls that were to come are missing

    @property
    def listed(self) -> bool:
        return bool(self.rows)

    @property
    def predicted(self) -> str:
        """`1`, a number, or `one per ...`."""
        per = next((row.per for row in self.rows if row.per), "")
        shared = max((row.programs for row in self.rows if row.shared), default=0)
        own = sum(row.programs for row in self.rows if not row.shared)
        return f"one per {per}" if per else str(shared + own)

    @property
    def reasons(self) -> tuple[Why, ...]:
        found = (Why((r.kind, root(r.argument))) for row in self.rows for r in row.reasons)
        return tuple(dict.fromkeys(found))

    @property
    def many(self) -> bool:
        """Is more than one program predicted?"""
        return self.listed and self.predicted != "1"

    @property
    def perhaps(self) -> bool:
        """... only because an outsider may call a function more often than the script does."""
        per = [row.per for row in self.rows if row.per]
        return bool(per) and all(p.startswith("call of") for p in per)

    @property
    def missing(self) -> tuple[Why, ...]:
        """The main causes of the programs of which no cause has a reason of the engine."""
        left = (whys[0] for whys in self.why if not any(map(self._explained, whys)))
        return tuple(dict.fromkeys(left))

    @property
    def main(self) -> tuple[Why, ...]:
        return tuple(dict.fromkeys(whys[0] for whys in self.why))

    def _explained(self, why: Why) -> bool:
        cause, argument = why
        if cause in AGAIN and (len(self.rows) > 1):
            return True
        return any(
            cause in CAUSES.get(kind, ()) and (not argument or not label or label == argument)
            for kind, label in self.reasons
        )

    @property
    def predicted_bytes(self) -> int:
        return max((row.constants for row in self.rows), default=0)

    @property
    def bytes_agree(self) -> bool:
        return abs(self.bytes - self.predicted_bytes) <= max(CLOSE * self.bytes, SMALL)


@dataclass(frozen=True)
class Outcome:
    """What one program showed."""

    recorded: Recorded
    functions: tuple[Compared, ...]
    eager: int  # programs of operations, and of functions of libraries
    failures: tuple[str, ...]  # of the linter


def root(path: str) -> str:
    """`batch` of `batch['x'][0].y`; nothing of what JAX names by position only."""
    name = re.split(r"[.\[:]", path.removeprefix("*"), maxsplit=1)[0].strip()
    return "" if name.startswith("argument ") else name


def compare(recorded: Recorded) -> Outcome:
    rows, failures = Tools().compiles(recorded.files, SettingsFinder(), screen=True, overlay={})
    found = events(recorded.record)
    own = [e for e in found if not e["eager"] and e["owner"] == "user" and _is_call(e)]
    return Outcome(
        recorded,
        tuple(_functions(recorded, own, rows)),
        len(found) - len(own),
        tuple(f"{failure.path}: {failure.error}" for failure in failures),
    )


def _is_call(event: Event) -> bool:
    """Not a trace for its own sake, nor a compile ahead of time."""
    return bool({"compile", "load"} & event["seconds"].keys()) and not event.get("ahead")


def _functions(recorded: Recorded, own: Iterable[Event], rows: Sequence[Row]) -> Iterator[Compared]:
    by_place: dict[tuple[str, int], list[Event]] = {}
    for event in own:
        path, line = event["defined"]
        place = str(recorded.folder / path), line
        by_place.setdefault(place, []).append(event)
    folder = f"{recorded.folder}/"
    for place, programs in sorted(by_place.items()):
        mine = tuple(row for row in rows if is_of(row, place))
        mine = tuple(row for row in mine if not row.exported) or mine
        yield Compared(
            recorded.program.set,
            recorded.program.name,
            f"{place[0].removeprefix(folder)}:{place[1]}",
            programs[0]["function"],
            len(programs),
            tuple(_whys(event) for event in programs if event["causes"]),
            max(event.get("constants", {}).get("bytes", 0) for event in programs),
            mine,
            bool(recorded.end),
        )


def _whys(event: Event) -> tuple[Why, ...]:
    return tuple(map(_why, event["causes"], event["why"]))


def _why(cause: str, said: str) -> Why:
    """A cause, and the argument that its text begins with."""
    head = said.partition(": ")[0] if ": " in said else said.partition(" -> ")[0]
    return cause, "" if cause in ("new-function", "call-style", "transform") else root(head)
