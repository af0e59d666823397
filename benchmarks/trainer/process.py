"""Python in a fresh process, where a program must find nothing compiled or other devices."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]  # where `import reference_trainer` works


class Failed(Exception):
    """A process that ended without its result; the last line of what it said."""


def command(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", f"benchmarks.trainer.{module}", *arguments]


def environment(**more: str) -> dict[str, str]:
    """One GPU, and its memory taken as needed: other processes on the same card need some too."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    ours = {
        "PYTHONPATH": os.pathsep.join(paths),
        "CUDA_VISIBLE_DEVICES": os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0],
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    }
    return {**os.environ, **ours, **more}


def start(module: str, *arguments: str, **environ: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(module, *arguments),
        env=environment(**environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def result(process: subprocess.Popen[str]) -> Any:
    """What the process printed last, read as JSON; Failed."""
    out, errors = process.communicate()
    if process.returncode:
        raise Failed(last_line(errors) or f"exit code {process.returncode}")
    return json.loads(last_line(out))


def last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


def same_platform(backend: str) -> Mapping[str, str]:
    """For a process that is to find the devices that this one uses."""
    return {"JAX_PLATFORMS": "cpu"} if backend == "cpu" else {}  # a GPU is found by itself
