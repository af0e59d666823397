"""Since and until which release of JAX an example shows its gotcha: docs/measured/releases/."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from measuring.programs import Pair

from pages.measured import FOLDER, Example

_REFERENCE = "0.10.2"  # the release of the development environment, whose runs are tested
_MODULE = re.compile(r" \(\S+\.py\)$")  # where an import looked
_Shows = Callable[[dict[str, Any]], bool]


@cache
def runs() -> dict[str, dict[str, Any]]:
    """What was measured with each release, the oldest first."""
    files = [json.loads(path.read_text("utf-8")) for path in FOLDER.glob("releases/*.json")]
    return {each["measured_with"]["jax"]: each for each in sorted(files, key=_number)}


def _number(run: dict[str, Any]) -> tuple[int, ...]:
    return tuple(int(part) for part in run["measured_with"]["jax"].split("."))


def told(shown: tuple[Example, ...]) -> str:
    """A paragraph on the examples of a page; empty where a plain run cannot tell them apart."""
    told = {number: text for number, each in enumerate(shown) if (text := _example(each.pair))}
    if len(set(told.values())) == 1:
        return next(iter(told.values()))
    return "\n\n".join(f"Example {number + 1}: {text}" for number, text in told.items())


def _example(pair: Pair) -> str:
    shows = _telling(pair)
    if shows is None:
        return ""
    known = {r: run["examples"].get(pair.digest) for r, run in runs().items()}
    groups: dict[str, list[str]] = {}
    for release, outcome in known.items():
        if outcome:
            groups.setdefault(_verdict(outcome, shows), []).append(release)
    tried = [release for release, outcome in known.items() if outcome]
    shown = groups.pop("", [])
    if not groups:
        return f"The same with each release that was tried: jax {', '.join(tried)}."
    rest = "; ".join(f"{text} with {_spoken(group, tried)}" for text, group in groups.items())
    return f"Shows with jax {_spoken(shown, tried)}; {rest}."


def _telling(pair: Pair) -> _Shows | None:
    """How the bad code of a pair differs from the good with the reference."""
    outcome = runs().get(_REFERENCE, {}).get("examples", {}).get(pair.digest)
    if not outcome:
        return None
    bad, good = outcome["bad"], outcome["good"]
    if bad["error"] and not good["error"]:
        return lambda outcome: bool(outcome["bad"]["error"])
    if bad["shown"] and good["shown"] is False:
        return lambda outcome: bool(outcome["bad"]["shown"]) and not outcome["good"]["shown"]
    if pair.shows or bad["compiles"] <= good["compiles"]:
        return None
    return lambda outcome: outcome["bad"]["compiles"] > outcome["good"]["compiles"]


def _verdict(outcome: dict[str, Any], shows: _Shows) -> str:
    """Empty where it shows; else what came instead."""
    if error := outcome["good"]["error"]:
        return f"the good code cannot be run (`{_MODULE.sub('', error)}`)"
    if shows(outcome):
        return ""
    if error := outcome["bad"]["error"]:
        return f"the bad code fails (`{error}`)"
    return "the bad code does as the good code"


def _spoken(some: list[str], every: list[str]) -> str:
    """`0.4.30 to 0.6.2` for releases that follow each other in `every`, else each of them."""
    parts = []
    for first, last in _stretches(some, every):
        parts.append(first if first == last else f"{first} to {last}")
    return ", ".join(parts)


def _stretches(some: Iterable[str], every: list[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for release in some:
        before = every.index(release) - 1
        if found and before >= 0 and found[-1][1] == every[before]:
            found[-1] = (found[-1][0], release)
        else:
            found.append((release, release))
    return found
