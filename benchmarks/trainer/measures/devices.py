"""The same five losses on one device, on four, and in two processes; and the memory of each."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from collections.abc import Iterator
from typing import Any

from benchmarks.trainer import process
from benchmarks.trainer.row import Row, Size

SECONDS = {"cpu": 180}


def measure(size: Size) -> Iterator[Row]:
    started = [_start("dp", 1), _start("dp", 4), _start("fsdp", 4), *_start_pair()]
    # All at once: nothing is timed. Both of the pair have the loss over all rows.
    one, four, whole, pair, _ = [process.result(running) for running in started]
    yield Row("largest relative difference of 5 losses, DP on 4", _apart(four, one), "", "<= 1e-5")
    yield Row("the same, FSDP on 4", _apart(whole, one), "", "<= 1e-5")
    note = f"one device: {one['bytes'] / 2**10:.0f} KiB"
    ratio = whole["bytes"] / one["bytes"]
    yield Row("argument bytes of a device, FSDP on 4 / one", ratio, "x", "<= 0.3", note)
    yield Row("largest relative difference, 2 processes", _apart(pair, one), "", "<= 1e-5")


def _start(kind: str, devices: int, distributed: str = "none") -> subprocess.Popen[str]:
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    environ = {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    return process.start("programs.losses", kind, distributed, **environ)


def _start_pair() -> list[subprocess.Popen[str]]:
    """Two processes of one run."""
    address = f"localhost:{_free_port()}"
    return [_start("dp", 1, f"{address},2,{i}") for i in range(2)]


def _free_port() -> int:
    with contextlib.closing(socket.socket()) as found:
        found.bind(("localhost", 0))
        return found.getsockname()[1]


def _apart(found: dict[str, Any], right: dict[str, Any]) -> float:
    pairs = zip(found["losses"], right["losses"], strict=True)
    return max(abs(a - b) / abs(b) for a, b in pairs)
