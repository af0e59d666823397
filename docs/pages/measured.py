"""What `make measure` and `benchmarks/prices.py` wrote down: docs/measured/."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from measuring.programs import Pair, pairs

FOLDER = Path(__file__).resolve().parents[1] / "measured"


@dataclass(frozen=True)
class Example:
    """A pair of programs and what they did; `unknown` where the code is newer than the run."""

    pair: Pair
    unknown: bool = True
    measured_with: dict[str, str] = field(default_factory=dict)
    linter: str = ""
    sanitizer: str = ""
    error: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    compiles: tuple[int, int] = (0, 0)
    shown: tuple[dict[str, Any], dict[str, Any]] = ({}, {})


@cache
def _pairs() -> dict[str, list[Pair]]:
    return pairs()


@cache
def examples(name: str) -> tuple[Example, ...]:
    """The examples of a gotcha, those of the rule first."""
    file = _read("outputs", name)
    known = {each["digest"]: each for each in file.get("examples", [])}
    return tuple(_example(pair, known, file) for pair in _pairs().get(name, ()))


def _example(pair: Pair, known: dict[str, Any], file: dict[str, Any]) -> Example:
    if pair.digest not in known:
        return Example(pair)
    values = {key: value for key, value in known[pair.digest].items() if key != "digest"}
    return Example(pair, unknown=False, measured_with=file["measured_with"], **values)


@cache
def price(name: str) -> dict[str, Any]:
    """What it costs; empty where that was not measured."""
    return _read("prices", name)


def _read(folder: str, name: str) -> dict[str, Any]:
    path = FOLDER / folder / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}
