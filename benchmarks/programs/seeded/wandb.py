"""Stands in for Weights & Biases: what a program logs is printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def init(**options: Any) -> None:
    """Nothing to begin: no account, no network."""


def log(values: Mapping[str, Any], step: int) -> None:
    for name, value in sorted(values.items()):
        print(f"logged {name} = {value} at {step}")
