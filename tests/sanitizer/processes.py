"""Programs that fork, start others, or vanish (the fixture `go` runs them)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

HEAD = """
import os, signal, subprocess, sys, time
import multiprocessing as mp
import jax, jax.numpy as jnp
step = jax.jit(lambda x: x * 2)
def storm():
    for i in range(4):
        jax.jit(lambda x: x + i)(1.0)
"""


@dataclass
class Done:
    code: int
    out: str
    err: str
    folder: Path

    def records(self) -> dict[str, list[dict]]:
        """File name -> events; every line is whole."""
        return {
            path.name: [json.loads(line) for line in path.read_text().splitlines()]
            for path in sorted(self.folder.glob("run*"))
        }

    def record(self) -> list[dict]:
        return self.records()["run.jsonl"]


def kinds(events: list[dict]) -> list[str]:
    return [event["event"] for event in events]


def functions(events: list[dict]) -> list[str]:
    return [e["function"] for e in events if e["event"] == "program" and not e["eager"]]
