"""What all programs say together: shares by set, and every disagreement in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.oracle.comparing import Compared, Outcome, Why


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The numbers of all sets and of each, and the disagreements, ordered by kind."""
    sets = list(dict.fromkeys(outcome.recorded.program.set for outcome in outcomes))
    return {
        "all": numbers(outcomes),
        "sets": {
            each: numbers([o for o in outcomes if o.recorded.program.set == each]) for each in sets
        },
        "disagreements": sorted(disagreements(outcomes)),
    }


def numbers(outcomes: Iterable[Outcome]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for outcome in outcomes:
        found["programs"] += 1
        found["ended with an error"] += bool(outcome.recorded.end)
        found["eager operations"] += outcome.eager
        for function in outcome.functions:
            found["functions"] += 1
            found.update(kinds(function))
    return {name: found[name] for name in ORDER if name in found}


ORDER = (
    "programs",
    "ended with an error",
    "eager operations",
    "functions",
    "not listed, once",
    "not listed, more often",
    "more often",
    "more often: predicted",
    "more often: predicted and why",
    "once",
    "once: predicted more often",
    "once: as often as a caller likes",
    "once: the program ended early",
    "constants",
    "constants: bytes predicted",
    "constants predicted",
    "constants predicted: bytes recorded",
)
"""The counts, in the order of the table; shares are taken of functions that are listed."""


def kinds(of: Compared) -> Iterable[str]:
    """The counts that a function belongs to."""
    often = of.ran > 1
    if not of.listed:
        yield "not listed, more often" if often else "not listed, once"
    elif often:
        yield "more often"
        if of.many:
            yield "more often: predicted"
            if not of.missing:
                yield "more often: predicted and why"
    else:
        yield "once"
        if of.many and of.perhaps:
            yield "once: as often as a caller likes"
        elif of.many:
            early = of.ended
            yield "once: the program ended early" if early else "once: predicted more often"
    if of.listed and of.bytes:
        yield "constants"
        if of.bytes_agree:
            yield "constants: bytes predicted"
    if of.predicted_bytes:
        yield "constants predicted"
        if of.bytes_agree:
            yield "constants predicted: bytes recorded"


def disagreements(outcomes: Iterable[Outcome]) -> Iterable[str]:
    for outcome in outcomes:
        for of in outcome.functions:
            for what in _wrong(of):
                yield f"{what}: {of.set}/{of.program}, {of.place} {of.function}: {_both(of)}"


def _wrong(of: Compared) -> Iterable[str]:
    if not of.listed:
        yield "not listed"
    elif of.ran > 1 and not of.many:
        yield "missed"
    elif of.ran > 1 and of.missing:
        yield "another cause"
    elif of.ran == 1 and of.many and not of.perhaps and not of.ended:
        yield "predicted more often"
    if of.listed and not of.bytes_agree:
        yield "bytes"


def _both(of: Compared) -> str:
    ran = f"ran {of.ran}{_listed(of.main)}"
    foreseen = f"predicted {of.predicted}{_listed(of.reasons)}" if of.listed else ""
    sizes = f"constants {of.bytes}, predicted {of.predicted_bytes}" if not of.bytes_agree else ""
    return "; ".join(filter(None, (ran, foreseen, sizes)))


def _listed(whys: Iterable[Why]) -> str:
    words = [f"{kind} of {what}" if what else kind for kind, what in dict.fromkeys(whys)]
    return f" ({', '.join(words)})" if words else ""


def table(found: dict[str, Any]) -> str:
    """The counts as text: a line for each, a column for each set."""
    columns = {**found["sets"], "all": found["all"]}
    head = f"{'':<36}" + "".join(f"{name[:11]:>12}" for name in columns)
    lines = [head]
    for name in ORDER:
        counts = "".join(f"{column.get(name, 0):>12}" for column in columns.values())
        lines.append(f"{name:<36}{counts}")
    return "\n".join(lines)


def shares(counts: dict[str, int]) -> str:
    """The four numbers that the oracle is for."""
    rows = (
        ("compiled more often: predicted, with argument and cause", "more often: predicted and why",
         "more often"),
        ("compiled more often: predicted", "more often: predicted", "more often"),
        ("compiled once: predicted more often", "once: predicted more often", "once"),
        ("recorded constants: predicted within 1 %", "constants: bytes predicted", "constants"),
        ("predicted constants: recorded within 1 %", "constants predicted: bytes recorded",
         "constants predicted"),
    )  # fmt: skip
    return "\n".join(
        f"{text:<58}{counts.get(part, 0):>5} of {counts.get(whole, 0):<5}"
        f"{100 * counts.get(part, 0) / max(counts.get(whole, 0), 1):6.1f} %"
        for text, part, whole in rows
    )
